"""The package's files: tensors and vocabulary."""

import hashlib
import json
import struct
import unittest
from pathlib import Path

import numpy

from table_maker import package, safetensors, word_pieces

EMBEDDING = Path(__file__).resolve().parents[3] / "src" / "domain" / "coding" / "embedding"


def file_of(header: dict, numbers: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


class SafetensorsTest(unittest.TestCase):
    def test_tensors_are_read_by_name_type_and_shape(self):
        floats = numpy.array([[1.5, -2.0, 0.25]], dtype="<f4")
        whole = numpy.array([7, -7], dtype="<i8")
        header = {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [1, 3], "data_offsets": [0, 12]},
            "b": {"dtype": "I64", "shape": [2], "data_offsets": [12, 28]},
        }
        tensors = safetensors.read(file_of(header, floats.tobytes() + whole.tobytes()))
        self.assertEqual(sorted(tensors), ["a", "b"])
        numpy.testing.assert_array_equal(tensors["a"], floats)
        numpy.testing.assert_array_equal(tensors["b"], whole)

    def test_a_damaged_file_is_refused(self):
        entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        for data in (
            b"",
            struct.pack("<Q", 99) + b"{}",
            file_of({"a": entry}, b"\0\0"),
            file_of({"a": entry | {"dtype": "BF16"}}, b"\0\0\0\0"),
        ):
            with self.assertRaises(ValueError):
                safetensors.read(data)


class WordPiecesTest(unittest.TestCase):
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "pet", "##rol", "##r", "##s", "station", "&", "b", "q", "cafe", "é", "12"]

    def test_the_model_reads_lower_case_without_accents_and_punctuation_as_words(self):
        tokenizer = word_pieces.ModelTokenizer(self.vocabulary)
        read = lambda text: [self.vocabulary[token] for token in tokenizer.encode(text)]
        self.assertEqual(read("PETROL Stations"), ["[CLS]", "pet", "##rol", "station", "##s", "[SEP]"])
        self.assertEqual(read("B&Q\tCafé"), ["[CLS]", "b", "&", "q", "cafe", "[SEP]"])
        self.assertEqual(read("petxx b"), ["[CLS]", "[UNK]", "b", "[SEP]"])
        self.assertEqual(read(""), ["[CLS]", "[SEP]"])

    def test_a_long_text_is_cut_to_what_the_model_reads(self):
        tokenizer = word_pieces.ModelTokenizer(self.vocabulary)
        text = tokenizer.encode("b " * 300)
        self.assertEqual((len(text), text[0], text[-1]), (256, 2, 3))

    def test_only_english_words_and_pieces_get_rows(self):
        tokens = word_pieces.table_tokens(self.vocabulary)
        self.assertEqual([self.vocabulary[token] for token in tokens], ["pet", "##rol", "##r", "##s", "station", "b", "q", "cafe", "12"])

    def test_the_engine_reads_words_of_letters_and_digits_and_drops_unknown_ones(self):
        tokens = word_pieces.table_tokens(self.vocabulary)
        engine = word_pieces.EngineTokenizer(self.vocabulary, tokens)
        read = lambda text: [self.vocabulary[tokens[row]] for row in engine.rows_of(text)]
        self.assertEqual(read("B&Q PETROL-12"), ["b", "q", "pet", "##rol", "12"])
        self.assertEqual(read("petxx stations"), ["station", "##s"])
        self.assertEqual(read("£ !"), [])

    def test_the_vocabulary_of_the_engine_is_the_published_one(self):
        data = (EMBEDDING / "vocab.txt").read_bytes()
        self.assertEqual(hashlib.sha256(data).hexdigest(), package.VOCABULARY_SHA256)
        self.assertEqual(len(word_pieces.read_vocabulary(data.decode())), 30522)


if __name__ == "__main__":
    unittest.main()
