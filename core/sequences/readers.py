"""The table of readers: one for each kind of data."""

from __future__ import annotations

from .reader_jsonl import read_jsonl
from .reader_lines import read_fasta, read_numbers, read_text
from .reader_npy import read_npy
from .reader_parquet import read_parquet
from .reader_table import read_csv, read_histogram, read_tsv
from .reading import Reader

READERS: dict[str, Reader] = {
    "jsonl": read_jsonl,
    "csv": read_csv,
    "tsv": read_tsv,
    "histogram": read_histogram,
    "fasta": read_fasta,
    "numbers": read_numbers,
    "text": read_text,
    "npy": read_npy,
    "parquet": read_parquet,
}
