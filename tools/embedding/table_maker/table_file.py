"""The table's file: u32 count, then a u16 token, an f32 scale and 128 int8 for every row, column by column, little-endian."""

import numpy

DIMENSIONS = 128


def quantise(rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Rows as whole numbers from -127 to 127 and what one of them is worth."""
    scales = (numpy.abs(rows).max(axis=1) / 127.0).astype("<f4")
    divisors = numpy.where(scales > 0, scales, 1).astype(numpy.float64)
    values = numpy.clip(numpy.rint(rows / divisors[:, None]), -127, 127).astype("i1")
    return values, scales


def dequantise(values: numpy.ndarray, scales: numpy.ndarray) -> numpy.ndarray:
    """Rows as the engine sees them."""
    return values.astype(numpy.float64) * scales[:, None].astype(numpy.float64)


def write(tokens: list[int], values: numpy.ndarray, scales: numpy.ndarray) -> bytes:
    """The file's bytes."""
    if values.shape != (len(tokens), DIMENSIONS) or scales.shape != (len(tokens),):
        raise ValueError("the table wants one row and one scale for every token")
    if any(not 0 <= token <= 0xFFFF for token in tokens):
        raise ValueError("a token's number does not fit its two bytes")
    parts = [numpy.array([len(tokens)], dtype="<u4"), numpy.array(tokens, dtype="<u2"), scales.astype("<f4"), values.astype("i1")]
    return b"".join(part.tobytes() for part in parts)


def read(data: bytes) -> tuple[list[int], numpy.ndarray, numpy.ndarray]:
    """Tokens, values and scales of a file."""
    if len(data) < 4:
        raise ValueError("the table is shorter than its own count")
    count = int(numpy.frombuffer(data, "<u4", 1)[0])
    if len(data) != 4 + count * (2 + 4 + DIMENSIONS):
        raise ValueError(f"a table of {count} rows does not have {len(data)} bytes")
    tokens = numpy.frombuffer(data, "<u2", count, 4).tolist()
    scales = numpy.frombuffer(data, "<f4", count, 4 + 2 * count)
    values = numpy.frombuffer(data, "i1", count * DIMENSIONS, 4 + 6 * count).reshape(count, DIMENSIONS)
    return tokens, values, scales
