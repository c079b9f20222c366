"""Hugging Face: a collator that pads to buckets, and the length column that grouping reads.

transformers has no boundaries; ``LengthGroupedSampler`` puts similar lengths together and the
collator decides the shape. Labels go to the same length as the inputs.
"""

from __future__ import annotations

from .request import PAD_TO, Exporter, ExportRequest, assignment, header

_COLLATOR = '''

def add_length(example):
    """Return the column that length grouping reads: dataset.map(add_length)."""
    return {"length": len(example["input_ids"])}


class BucketCollator:
    """Pad a batch, labels included, to the bucket of its longest sequence."""

    def __init__(self, tokenizer, label_pad_token_id=-100, return_tensors="pt"):
        self.tokenizer = tokenizer
        self.label_pad_token_id = label_pad_token_id
        self.return_tensors = return_tensors

    def __call__(self, features):
        features = [{k: v for k, v in row.items() if k != "length"} for row in features]
        columns = ("input_ids", "labels")
        sized = [row[c] for row in features for c in columns if hasattr(row.get(c), "__len__")]
        size = pad_to(max(map(len, sized)))
        for row in features:
            if hasattr(row.get("labels"), "__len__"):
                row["labels"] = self._pad_labels(list(row["labels"]), size)
        return self.tokenizer.pad(
            features, padding="max_length", max_length=size, return_tensors=self.return_tensors
        )

    def _pad_labels(self, labels, size):
        fill = [self.label_pad_token_id] * (size - len(labels))
        left = getattr(self.tokenizer, "padding_side", "right") == "left"
        return fill + labels if left else labels + fill
'''


def _render(request: ExportRequest) -> str:
    return (
        header(
            request,
            "Trainer(data_collator=BucketCollator(tokenizer), ...) with",
            'TrainingArguments(train_sampling_strategy="group_by_length",'
            ' length_column_name="length");',
            "before transformers 5 the first of these is group_by_length=True.",
        )
        + "\nfrom bisect import bisect_left\n\n"
        + assignment("BUCKETS", request.boundaries, "()")
        + PAD_TO
        + _COLLATOR
    )


EXPORTERS = (
    Exporter("huggingface", "lengths", False, _render, "a collator, and the length column for it"),
)
