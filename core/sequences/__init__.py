"""Lengths of sequences: reading, counting, bucketing, and really running an RNN on them."""
