"""The numeric core: numpy and the standard library only, never a user interface."""
