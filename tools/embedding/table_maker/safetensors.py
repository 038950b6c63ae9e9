"""Reads tensors from the safetensors format: a length, a JSON header, then the numbers, little-endian."""

import json
import struct

import numpy

NUMBER_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def read(data: bytes) -> dict[str, numpy.ndarray]:
    """Every tensor of a file by its name."""
    if len(data) < 8:
        raise ValueError("safetensors: shorter than its own length field")
    (header_length,) = struct.unpack_from("<Q", data)
    if header_length > len(data) - 8:
        raise ValueError("safetensors: the header is longer than the file")
    header = json.loads(data[8 : 8 + header_length])
    numbers = memoryview(data)[8 + header_length :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        number_type = NUMBER_TYPES.get(entry["dtype"])
        if number_type is None:
            raise ValueError(f"safetensors: {name} has numbers of type {entry['dtype']}, which is not read here")
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= len(numbers):
            raise ValueError(f"safetensors: {name} lies outside the file")
        tensors[name] = numpy.frombuffer(numbers[start:end], dtype=number_type).reshape(entry["shape"])
    return tensors
