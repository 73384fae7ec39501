"""Conch Desktop: a desktop chat program in which every model gets its tools."""

__version__ = "0.1.0"
