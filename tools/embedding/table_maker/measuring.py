"""How near a table comes to the model, on phrases it was not fitted to."""

import numpy

from . import table_file
from .fitting import mean_cosine, unit


def rows_for(tokens: list[int], data: bytes) -> numpy.ndarray:
    """Rows of a table's file for these tokens; nothing for a token it does not have."""
    theirs, values, scales = table_file.read(data)
    place = {token: at for at, token in enumerate(theirs)}
    table = table_file.dequantise(values, scales)
    return numpy.array([table[place[token]] if token in place else numpy.zeros(table_file.DIMENSIONS) for token in tokens])


def rotated(vectors: numpy.ndarray, targets: numpy.ndarray, used: numpy.ndarray) -> numpy.ndarray:
    """Vectors turned as a whole to lie nearest their targets: another table has directions of its own, and only what it says of
    how texts lie to one another counts."""
    left, _, right = numpy.linalg.svd(unit(vectors[used]).T @ unit(targets[used]))
    return vectors @ (left @ right)


def cosine_by_kind(vectors: numpy.ndarray, targets: numpy.ndarray, kinds: list[str]) -> dict[str, float]:
    """The mean cosine of every kind of phrase."""
    by_kind = {}
    for kind in sorted(set(kinds)):
        of_kind = numpy.array([other == kind for other in kinds])
        by_kind[kind] = mean_cosine(vectors[of_kind], targets[of_kind])
    return by_kind


def pair_correlation(vectors: numpy.ndarray, model_vectors: numpy.ndarray, count: int = 100_000) -> float:
    """Correlation of cosines of pairs of phrases, table against the whole model."""
    pairs = numpy.random.default_rng(1).integers(0, len(vectors), (count, 2))
    some, others = pairs[pairs[:, 0] != pairs[:, 1]].T
    ours, theirs = unit(vectors), unit(model_vectors.astype(numpy.float64))
    return float(numpy.corrcoef((ours[some] * ours[others]).sum(axis=1), (theirs[some] * theirs[others]).sum(axis=1))[0, 1])


def concepts_right(vectors: numpy.ndarray, concepts: list[str | None], held: numpy.ndarray) -> float:
    """The share of held-out phrases of a known concept that lie nearest the middle of that concept's other phrases."""
    names = sorted({concept for concept, out in zip(concepts, held) if concept and not out})
    place = {name: at for at, name in enumerate(names)}
    labels = numpy.array([place.get(concept, -1) for concept in concepts])
    seen, asked = ~held & (labels >= 0), held & (labels >= 0)
    middles = numpy.zeros((len(names), vectors.shape[1]))
    numpy.add.at(middles, labels[seen], unit(vectors[seen]))
    if not asked.any():
        return float("nan")
    nearest = (unit(vectors[asked]) @ unit(middles).T).argmax(axis=1)
    return float((nearest == labels[asked]).mean())
