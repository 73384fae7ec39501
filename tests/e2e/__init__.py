"""The whole program, driven as a person would."""
