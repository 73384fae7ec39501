"""Providers: the wires that speak chat APIs, what refusals mean, and the model on this computer."""
