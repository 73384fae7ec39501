"""The window: real widgets, without a screen."""
