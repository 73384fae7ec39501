"""Tools in words, for models that take none natively."""
