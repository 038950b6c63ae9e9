"""The table: its file, the fit and the cache of vectors."""

import tempfile
import unittest
from pathlib import Path

import numpy

from table_maker import fitting, table_file
from table_maker.vector_cache import RECORD, VectorCache

TABLE = Path(__file__).resolve().parents[3] / "src" / "domain" / "coding" / "embedding" / "tuned_128.bin"


class TableFileTest(unittest.TestCase):
    def test_a_table_reads_back_as_it_was_written(self):
        rows = numpy.random.default_rng(5).normal(size=(7, table_file.DIMENSIONS))
        rows[3] = 0
        tokens = [4, 999, 1000, 2000, 30000, 30521, 65535]
        values, scales = table_file.quantise(rows)
        data = table_file.write(tokens, values, scales)
        self.assertEqual(len(data), 4 + 7 * (2 + 4 + 128))
        read_tokens, read_values, read_scales = table_file.read(data)
        self.assertEqual(read_tokens, tokens)
        numpy.testing.assert_array_equal(read_values, values)
        numpy.testing.assert_array_equal(read_scales, scales)
        error = numpy.abs(table_file.dequantise(read_values, read_scales) - rows).max(axis=1)
        self.assertTrue((error <= 0.5001 * scales).all())

    def test_the_order_of_bytes_is_the_one_the_engine_reads(self):
        values = numpy.zeros((1, table_file.DIMENSIONS), dtype="i1")
        values[0, 0], values[0, 127] = -1, 2
        data = table_file.write([0x0102], values, numpy.array([1.0], dtype="<f4"))
        self.assertEqual(data[:10], bytes([1, 0, 0, 0, 2, 1, 0, 0, 0x80, 0x3F]))
        self.assertEqual((data[10], data[-1]), (0xFF, 2))

    def test_wrong_sizes_are_refused(self):
        for data in (b"", b"\1\0\0\0", bytes(4 + 134 + 1)):
            with self.assertRaises(ValueError):
                table_file.read(data)
        with self.assertRaises(ValueError):
            table_file.write([70000], numpy.zeros((1, 128)), numpy.zeros(1))

    def test_the_table_of_the_engine_is_read_and_written_to_the_bit(self):
        data = TABLE.read_bytes()
        self.assertEqual(table_file.write(*table_file.read(data)), data)


class FittingTest(unittest.TestCase):
    def test_conjugate_gradient_solves_the_normal_equations(self):
        random = numpy.random.default_rng(3)
        phrases = [random.integers(0, 12, random.integers(1, 5)).tolist() for _ in range(40)]
        matrix = numpy.zeros((40, 13))
        for at, rows in enumerate(phrases):
            for row in rows:
                matrix[at, row] += 1 / len(rows)
        targets, prior = random.normal(size=(40, 6)), random.normal(size=(13, 6))
        means = fitting.Means(phrases, 13)
        numpy.testing.assert_allclose(means.of(prior), matrix @ prior)
        numpy.testing.assert_allclose(means.back(targets), matrix.T @ targets)
        exact = prior + numpy.linalg.solve(matrix.T @ matrix + 0.2 * numpy.eye(13), matrix.T @ (targets - matrix @ prior))
        solved = fitting.ridge(means, targets, prior, 0.2, exact=1e-10)
        numpy.testing.assert_allclose(solved, exact, atol=1e-7)
        # No phrase has the last row, so that nothing moves it.
        numpy.testing.assert_array_equal(solved[12], prior[12])

    def test_frequent_tokens_weigh_less(self):
        vocabulary = ["a", "the", "of", "ltd", "##ing"]
        weights = fitting.rarity_weights(vocabulary, [0, 1, 2, 3, 4])
        self.assertTrue(weights[1] < weights[2] < weights[3] < weights[4])

    def test_principal_directions_are_fixed_in_sign(self):
        vectors = numpy.random.default_rng(8).normal(size=(50, 9)) * numpy.arange(1, 10)
        space, kept = fitting.principal_space(vectors, 4)
        turned, _ = fitting.principal_space(vectors[::-1], 4)
        numpy.testing.assert_allclose(space.directions, turned.directions, atol=1e-9)
        self.assertTrue(0.5 < kept < 1.0)


class CacheTest(unittest.TestCase):
    def test_a_text_is_encoded_once_and_half_a_record_is_cut_off(self):
        class Model:
            texts = 0

            def encode(self, texts):
                self.texts += len(texts)
                return numpy.full((len(texts), 384), texts[:, 1:2], dtype=numpy.float32)

        with tempfile.TemporaryDirectory() as folder:
            path, model = Path(folder) / "vectors.bin", Model()
            first = VectorCache(path, "m").encode([(1, 5, 2), (1, 6, 6, 2), (1, 5, 2)], model, "texts")
            self.assertEqual((model.texts, first[:, 0].tolist()), (2, [5, 6, 5]))
            with path.open("ab") as file:
                file.write(b"half a record")
            again = VectorCache(path, "m").encode([(1, 7, 2), (1, 6, 6, 2)], model, "texts")
            self.assertEqual((model.texts, again[:, 0].tolist()), (3, [7, 6]))
            self.assertEqual(path.stat().st_size, 3 * RECORD.itemsize)
            VectorCache(path, "another model").encode([(1, 5, 2)], model, "texts")
            self.assertEqual(model.texts, 4)


if __name__ == "__main__":
    unittest.main()
