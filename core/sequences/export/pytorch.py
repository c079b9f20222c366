"""PyTorch: a batch sampler for ``DataLoader(batch_sampler=…)`` in plain Python."""

from __future__ import annotations

from .request import PAD_TO, Exporter, ExportRequest, assignment, header

_SAMPLER = '''

class BucketBatchSampler:
    """Batches of positions, each within one bucket; the same for the same seed and epoch.

    Rank r of `world_size` takes every world_size-th batch. What does not share out equally is
    dropped, or with uneven="repeat" filled up with the first batches, so that all ranks take
    the same number. `skip` batches of the first epoch are left out, to resume.
    """

    def __init__(self, lengths, seed=0, rank=0, world_size=1, uneven="drop", skip=0):
        self.buckets = [[] for _ in BUCKETS]
        for position, length in enumerate(lengths):
            place = bisect_left(BUCKETS, length)
            if place == len(BUCKETS):
                raise ValueError(f"item {position} of length {length} is above {BUCKETS[-1]}")
            self.buckets[place].append(position)
        self.seed, self.rank, self.world_size = seed, rank, world_size
        self.uneven, self.skip, self.epoch = uneven, skip, 0

    def set_epoch(self, epoch):
        """Choose the epoch, from 0, whose order the next iteration has."""
        self.epoch = epoch

    def __len__(self):
        pairs = zip(self.buckets, BATCH_SIZES)
        count = sum(-(-len(bucket) // size) for bucket, size in pairs)
        if self.uneven == "repeat":
            count += -count % self.world_size
        return count // self.world_size

    def __iter__(self):
        rng = random.Random(f"{self.seed}/{self.epoch}")
        batches = []
        for bucket, size in zip(self.buckets, BATCH_SIZES):
            mixed = rng.sample(bucket, len(bucket))
            batches += [mixed[start : start + size] for start in range(0, len(mixed), size)]
        rng.shuffle(batches)
        while self.uneven == "repeat" and len(batches) % self.world_size:
            batches += batches[: self.world_size - len(batches) % self.world_size]
        shared = len(batches) - len(batches) % self.world_size
        skip, self.skip = self.skip, 0
        return iter(batches[self.rank : shared : self.world_size][skip:])
'''


def _render(request: ExportRequest) -> str:
    return (
        header(
            request,
            "DataLoader(dataset, batch_sampler=BucketBatchSampler(lengths), collate_fn=...);",
            "pad each batch to pad_to(its longest length).",
        )
        + "\nimport random\nfrom bisect import bisect_left\n\n"
        + assignment("BUCKETS", request.boundaries, "()")
        + assignment("BATCH_SIZES", request.batch_sizes or (), "()")
        + PAD_TO
        + _SAMPLER
    )


EXPORTERS = (Exporter("pytorch", "lengths", True, _render, "a batch sampler for DataLoader"),)
