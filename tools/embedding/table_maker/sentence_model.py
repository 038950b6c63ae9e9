"""The forward pass of all-MiniLM-L6-v2 (a BERT of six layers, mean pooling, unit length) in numpy."""

import numpy

DIMENSIONS = 384
LAYERS = 6
HEADS = 12
# Every product of matrices has the same number of texts in it, whatever else is encoded in the run. A text's vector is
# then the same to the bit in a first run and in one that only adds some phrases to the cache.
TEXTS_AT_ONCE = 32

# Of the sentence-transformers documentation of this model.
PUBLISHED_TEXTS = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
PUBLISHED_COSINES = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]


class SentenceModel:
    """Weights ready for multiplication."""

    def __init__(self, tensors: dict[str, numpy.ndarray]):
        embeddings = "embeddings."
        self.words = tensors[embeddings + "word_embeddings.weight"]
        # Phrases are one segment each: the type of the first segment belongs to every place.
        self.places = tensors[embeddings + "position_embeddings.weight"] + tensors[embeddings + "token_type_embeddings.weight"][0]
        self.embedding_scale = _scale(tensors, embeddings + "LayerNorm")
        self.layers = [_layer(tensors, f"encoder.layer.{number}.") for number in range(LAYERS)]

    def encode(self, texts: numpy.ndarray) -> numpy.ndarray:
        """Unit vectors of texts of one length, given as numbers of tokens."""
        count, length = texts.shape
        vectors = numpy.empty((count, DIMENSIONS), dtype=numpy.float32)
        for start in range(0, count, TEXTS_AT_ONCE):
            some = texts[start : start + TEXTS_AT_ONCE]
            filled = numpy.resize(some, (TEXTS_AT_ONCE, length))
            vectors[start : start + len(some)] = self._encode_filled(filled)[: len(some)]
        return vectors

    def _encode_filled(self, texts: numpy.ndarray) -> numpy.ndarray:
        count, length = texts.shape
        states = self.words[texts] + self.places[:length]
        states = _normalise_layer(states.reshape(count * length, DIMENSIONS), *self.embedding_scale)
        for layer in self.layers:
            mixed = _attend(states @ layer["query"] + layer["query_bias"], count, length)
            states = states + mixed @ layer["mixed"] + layer["mixed_bias"]
            states = _normalise_layer(states, *layer["mixed_scale"])
            inner = _gelu(states @ layer["inner"] + layer["inner_bias"])
            states = states + inner @ layer["outer"] + layer["outer_bias"]
            states = _normalise_layer(states, *layer["outer_scale"])
        means = states.reshape(count, length, DIMENSIONS).mean(axis=1)
        return means / numpy.linalg.norm(means, axis=1, keepdims=True)


def _scale(tensors: dict[str, numpy.ndarray], name: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    return tensors[name + ".weight"], tensors[name + ".bias"]


def _layer(tensors: dict[str, numpy.ndarray], prefix: str) -> dict:
    def turned(name: str) -> numpy.ndarray:
        return numpy.ascontiguousarray(tensors[prefix + name + ".weight"].T)

    asked = [f"attention.self.{part}" for part in ("query", "key", "value")]
    return {
        "query": numpy.ascontiguousarray(numpy.concatenate([turned(name) for name in asked], axis=1)),
        "query_bias": numpy.concatenate([tensors[prefix + name + ".bias"] for name in asked]),
        "mixed": turned("attention.output.dense"),
        "mixed_bias": tensors[prefix + "attention.output.dense.bias"],
        "mixed_scale": _scale(tensors, prefix + "attention.output.LayerNorm"),
        "inner": turned("intermediate.dense"),
        "inner_bias": tensors[prefix + "intermediate.dense.bias"],
        "outer": turned("output.dense"),
        "outer_bias": tensors[prefix + "output.dense.bias"],
        "outer_scale": _scale(tensors, prefix + "output.LayerNorm"),
    }


def _attend(asked: numpy.ndarray, count: int, length: int) -> numpy.ndarray:
    width = DIMENSIONS // HEADS
    query, key, value = asked.reshape(count, length, 3, HEADS, width).transpose(2, 0, 3, 1, 4)
    scores = query @ key.transpose(0, 1, 3, 2) * numpy.float32(width**-0.5)
    weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ value).transpose(0, 2, 1, 3).reshape(count * length, DIMENSIONS)


def _normalise_layer(states: numpy.ndarray, weight: numpy.ndarray, bias: numpy.ndarray) -> numpy.ndarray:
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / numpy.sqrt(variance + numpy.float32(1e-12)) * weight + bias


def _gelu(values: numpy.ndarray) -> numpy.ndarray:
    """x·Φ(x) with the error function of Abramowitz and Stegun 7.1.26, which is right to 1.5e-7."""
    size = numpy.abs(values) * numpy.float32(0.5**0.5)
    part = 1.0 / (1.0 + numpy.float32(0.3275911) * size)
    polynomial = numpy.full_like(part, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        polynomial *= part
        polynomial += numpy.float32(factor)
    tail = polynomial * part * numpy.exp(-size * size)
    return values * 0.5 * (1.0 + numpy.copysign(1.0 - tail, values))
