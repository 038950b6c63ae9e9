"""Vectors of the model on disk, so that a run encodes only what no run before it did."""

import hashlib
import sys
import time
from pathlib import Path

import numpy

from .sentence_model import DIMENSIONS, TEXTS_AT_ONCE, SentenceModel

KEY_BYTES = 16
RECORD = numpy.dtype([("key", f"V{KEY_BYTES}"), ("vector", "<f4", DIMENSIONS)])
WRITTEN_AT_ONCE = 32 * TEXTS_AT_ONCE


def key(text: tuple[int, ...], model: str) -> bytes:
    """What a text is known by: the tokens the model sees, and the model."""
    return hashlib.sha256(model.encode() + numpy.asarray(text, dtype="<u2").tobytes()).digest()[:KEY_BYTES]


class VectorCache:
    """A file of records that only grows."""

    def __init__(self, path: Path, model: str):
        self.path = path
        self.model = model
        self.known: dict[bytes, int] = {}
        self.vectors = numpy.empty((0, DIMENSIONS), dtype=numpy.float32)
        if path.exists():
            self._read()

    def encode(self, texts: list[tuple[int, ...]], model: SentenceModel, name: str) -> numpy.ndarray:
        """Vectors of texts in their order; those never seen go through the model, texts of one length together."""
        keys = [key(text, self.model) for text in texts]
        missing = {found: text for found, text in zip(keys, texts) if found not in self.known}
        by_length: dict[int, list[bytes]] = {}
        for found, text in missing.items():
            by_length.setdefault(len(text), []).append(found)
        began, done = time.monotonic(), 0
        for length in sorted(by_length):
            group = by_length[length]
            for start in range(0, len(group), WRITTEN_AT_ONCE):
                some = group[start : start + WRITTEN_AT_ONCE]
                self._append(some, model.encode(numpy.array([missing[found] for found in some])))
                done += len(some)
                rate = done / max(time.monotonic() - began, 1e-9)
                print(f"  {name}: {done} of {len(missing)} new, {rate:.0f} a second", file=sys.stderr)
        return self.vectors[[self.known[found] for found in keys]]

    def _read(self) -> None:
        # A run that was stopped may have left half a record behind: it is cut off, or all that follow would be shifted.
        whole = self.path.stat().st_size // RECORD.itemsize
        with self.path.open("r+b") as file:
            file.truncate(whole * RECORD.itemsize)
        records = numpy.fromfile(self.path, dtype=RECORD)
        self.vectors = numpy.ascontiguousarray(records["vector"])
        self.known = {found.tobytes(): place for place, found in enumerate(records["key"])}

    def _append(self, keys: list[bytes], vectors: numpy.ndarray) -> None:
        records = numpy.empty(len(keys), dtype=RECORD)
        records["key"] = numpy.frombuffer(b"".join(keys), dtype=f"V{KEY_BYTES}")
        records["vector"] = vectors
        with self.path.open("ab") as file:
            records.tofile(file)
        for found in keys:
            self.known[found] = len(self.known)
        self.vectors = numpy.concatenate([self.vectors, vectors])
