"""The version of dgplay, alone in a module so that --version imports nothing else."""

VERSION = "0.1.0"
