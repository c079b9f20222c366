"""Lessons and the quiz: words in text files and tables, every number computed from a state."""
