"""The terminal interface: Textual screens and the command line; no numerics."""
