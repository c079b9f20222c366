"""Panes and the drawings they are made of."""
