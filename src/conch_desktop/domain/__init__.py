"""The data everyone speaks: frozen, without behaviour that needs anything from outside this package."""
