"""Bundled data: histograms of the sequence lengths of public corpora."""
