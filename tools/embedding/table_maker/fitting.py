"""From the model's vectors to rows whose mean says nearly the same."""

from dataclasses import dataclass

import numpy

from .table_file import DIMENSIONS

SMOOTHING = 1e-3


@dataclass(frozen=True)
class Space:
    """The directions kept of the model's, and what is taken for the middle."""

    middle: numpy.ndarray
    directions: numpy.ndarray

    def project(self, vectors: numpy.ndarray) -> numpy.ndarray:
        """Vectors of the model in the table's dimensions."""
        return (vectors.astype(numpy.float64) - self.middle) @ self.directions


def principal_space(vectors: numpy.ndarray, dimensions: int = DIMENSIONS) -> tuple[Space, float]:
    """The directions in which vectors differ most, and the share of variance they hold."""
    exact = vectors.astype(numpy.float64)
    middle = exact.mean(axis=0)
    centred = exact - middle
    variances, directions = numpy.linalg.eigh(centred.T @ centred)
    kept = directions[:, ::-1][:, :dimensions]
    # An eigenvector is one up to its sign; its largest part is made positive, so that every library gives the same.
    largest = numpy.abs(kept).argmax(axis=0)
    kept = kept * numpy.sign(kept[largest, numpy.arange(kept.shape[1])])
    return Space(middle, kept), float(variances[::-1][:dimensions].sum() / variances.sum())


def rarity_weights(vocabulary: list[str], tokens: list[int]) -> numpy.ndarray:
    """Smooth inverse frequency: what every text has says little. The vocabulary is in the order of frequency, but for
    single characters, which stand in front of it in the order of their codes; those get the rank of a rare word."""
    ranks = numpy.empty(len(tokens))
    ordered = [at for at, token in enumerate(tokens) if len(vocabulary[token].removeprefix("##")) > 1]
    ranks[:] = len(ordered) / 2
    ranks[ordered] = numpy.arange(1, len(ordered) + 1)
    shares = 1.0 / (ranks * (numpy.log(len(tokens)) + 0.5772))
    return SMOOTHING / (SMOOTHING + shares)


class Means:
    """The sparse matrix that takes rows of the table to the mean of a phrase's rows."""

    def __init__(self, phrases: list[list[int]], row_count: int):
        self.row_count = row_count
        self.lengths = numpy.array([len(rows) for rows in phrases])
        self.of_phrase = numpy.repeat(numpy.arange(len(phrases)), self.lengths)
        self.of_row = numpy.array([row for rows in phrases for row in rows], dtype=numpy.int64)
        self.starts = numpy.concatenate([[0], numpy.cumsum(self.lengths)[:-1]]) if phrases else numpy.zeros(0, dtype=int)
        by_row = numpy.argsort(self.of_row, kind="stable")
        self.phrases_by_row = self.of_phrase[by_row]
        self.used, self.row_starts = numpy.unique(self.of_row[by_row], return_index=True)

    def row_sizes(self) -> numpy.ndarray:
        """The diagonal of the matrix times itself: how much the phrases ask of each row."""
        pairs, times = numpy.unique(self.of_phrase * self.row_count + self.of_row, return_counts=True)
        shares = times / self.lengths[pairs // self.row_count]
        return numpy.bincount(pairs % self.row_count, weights=shares**2, minlength=self.row_count)

    def of(self, rows: numpy.ndarray) -> numpy.ndarray:
        """Means of rows, one for every phrase."""
        return numpy.add.reduceat(rows[self.of_row], self.starts, axis=0) / self.lengths[:, None]

    def back(self, values: numpy.ndarray) -> numpy.ndarray:
        """The transposed matrix: what every row gets of its phrases' values."""
        shares = values / self.lengths[:, None]
        sums = numpy.zeros((self.row_count, values.shape[1]))
        sums[self.used] = numpy.add.reduceat(shares[self.phrases_by_row], self.row_starts, axis=0)
        return sums


def ridge(means: Means, targets: numpy.ndarray, prior: numpy.ndarray, penalty: float, steps: int = 200, exact: float = 1e-5) -> numpy.ndarray:
    """Rows that minimise |mean - target|² over the phrases + penalty·|row - prior|² over the rows.

    The normal equations are solved by conjugate gradient, each dimension with steps of its own and all at the same time;
    their matrix is never written down."""
    # Frequent rows have equations a thousand times the size of rare ones; scaled to one size they are solved in a few steps.
    easing = 1.0 / (means.row_sizes() + penalty)[:, None]
    change = numpy.zeros_like(prior)
    residual = means.back(targets - means.of(prior))
    direction = easing * residual
    size = (residual * direction).sum(axis=0)
    wanted = size * exact**2
    for _ in range(steps):
        if (size <= wanted).all():
            break
        applied = means.back(means.of(direction)) + penalty * direction
        length = divide(size, (direction * applied).sum(axis=0))
        change += length * direction
        residual -= length * applied
        eased = easing * residual
        after = (residual * eased).sum(axis=0)
        direction = eased + divide(after, size) * direction
        size = after
    return prior + change


def divide(above: numpy.ndarray, below: numpy.ndarray) -> numpy.ndarray:
    """A quotient that is nothing where there is nothing to divide by: a dimension that is solved stays."""
    return numpy.divide(above, below, out=numpy.zeros_like(above), where=below > 0)


def unit(vectors: numpy.ndarray) -> numpy.ndarray:
    """Vectors of length one; those without a length stay."""
    lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / numpy.where(lengths > 0, lengths, 1)


def mean_cosine(some: numpy.ndarray, others: numpy.ndarray) -> float:
    """How near vectors are to their counterparts, on average."""
    return float((unit(some) * unit(others)).sum(axis=1).mean())
