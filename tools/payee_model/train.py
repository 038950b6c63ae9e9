#!/usr/bin/env python3
"""Fits the model that tells from a payee's name what was bought, and writes `src/domain/coding/knowledge/payees.bin`.

  train.py [--output FILE] [--held-out]
  train.py --lines [--output FILE] [--held-out]
  train.py --names [--output FILE]

`--lines` fits the model of whole lines of statements instead and writes `lines.bin`; `--names` writes `payee_names.bin`, the table of the
listed names themselves, which takes seconds.

It learns from the patterns of `src/domain/coding/knowledge`, from `names/*.tsv` beside it, and from `brands.tsv` beside it (made by
`brands.py`); the table also holds `further_names/*.tsv`. README.md says what the model is and how it is read. Needs numpy and scipy; no random numbers: which names are held out
follows from hashes, so that the same inputs give the same file.
"""
import argparse
import glob
import os
import re
import struct
import unicodedata
import zlib

import numpy
from scipy import sparse

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWLEDGE = os.path.join(HERE, "..", "..", "src", "domain", "coding", "knowledge")
BUCKETS = 1 << 15
STEPS = 220
RATE = 0.35
PENALTY = 2e-6
# How often the sweeps of the model of lines are made, and how much a name or a pattern counts there beside a line.
LINE_STEPS = 70
NAME_IN_LINES = 0.2
# One would count classes as often as they are paid for, zero all alike.
TEMPER = 0.7


def fold(text):
    """Text as the engine compares it: upper case, words and numbers parted by single spaces."""
    text = unicodedata.normalize("NFKD", text.replace("'", "").replace("\u2019", "").replace("&", " AND "))
    text = "".join(character for character in text if not unicodedata.combining(character)).upper()
    return " ".join(re.findall(r"[A-Z0-9]+", text))


def fnv1a(data):
    """FNV-1a of 32 bits, as the engine hashes features."""
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def features(text):
    """The buckets of a folded text: its words, its pairs of words, and pieces of three to five letters of each word.

    Numbers and words that say what kind of firm it is tell nothing. The same function stands in `text_model.rs`.
    """
    words = [word for word in text.split(" ") if tells(word)]
    found = set()
    for word in words:
        found.add(fnv1a(b"w" + word.encode()) % BUCKETS)
        bounded = ("^" + word + "$").encode()
        for size in (3, 4, 5):
            for at in range(len(bounded) - size + 1):
                found.add(fnv1a(b"p" + bounded[at : at + size]) % BUCKETS)
    for first, second in zip(words, words[1:]):
        found.add(fnv1a(b"b" + first.encode() + b" " + second.encode()) % BUCKETS)
    return sorted(found)


SILENT = set("LTD LIMITED PLC LLP UK CO COM ORG NET WWW HTTP HTTPS THE AND OF FOR INC LLC GB EU".split())


def tells(word):
    """Whether a word can tell what was bought."""
    return len(word) >= 2 and word not in SILENT and not any(character.isdigit() for character in word)


def expense_concepts():
    """Concepts of money out, in the order of the file."""
    with open(os.path.join(KNOWLEDGE, "concepts.tsv"), encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    return [row[0] for row in rows if len(row) > 1 and "EXPENSE" in row[1].split(",")]


def frequencies():
    """How many of a thousand payments are for each concept."""
    with open(os.path.join(KNOWLEDGE, "purchases.tsv"), encoding="utf-8") as lines:
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows}


def pattern_names():
    """Names and words of the engine's own patterns: (concept, text, weight)."""
    for path in sorted(glob.glob(os.path.join(KNOWLEDGE, "patterns*.txt"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                head, parted, texts = line.strip().partition(": ")
                if not parted or line.startswith("#") or head.startswith("+"):
                    continue
                weight = 0.4 if head.endswith("?") else 1.0
                concept = head.strip("-+?!")
                for text in texts.split(", "):
                    yield concept, text.strip("=* "), weight


def listed_names(*folders):
    """Names of the lists in some folders beside this file, and brands: (concept, text, weight)."""
    lists = [path for folder in folders for path in sorted(glob.glob(os.path.join(HERE, folder, "*.tsv")))]
    for path in lists + [os.path.join(HERE, "brands.tsv")]:
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                concept, parted, text = line.rstrip("\n").partition("\t")
                if parted and not line.startswith("#"):
                    yield concept, text, 1.0


def printed(text):
    """A name as it stands in full, cut by a bank, and glued as in a web address."""
    yield text
    words = text.split(" ")
    if len(text) > 18:
        yield text[:18].strip()
    if len(words) in (2, 3) and len(text) <= 24:
        yield "".join(words)


def examples(concepts):
    """One row per printed form: class, text, weight, hash of the name."""
    known = {concept: at for at, concept in enumerate(concepts)}
    seen = set()
    for source in (listed_names("names"), pattern_names()):
        for concept, text, weight in source:
            text = fold(text)
            if concept not in known or not text or (concept, text) in seen:
                continue
            seen.add((concept, text))
            forms = list(dict.fromkeys(printed(text)))
            for form in forms:
                yield known[concept], form, weight * (1.0 if form == text else 0.5), zlib.crc32(text.encode())


def labelled_lines():
    """Lines of `lines/*.tsv`: (trade, whether money comes in, pence, text, concept)."""
    for path in sorted(glob.glob(os.path.join(HERE, "lines", "*.tsv"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("#"):
                    trade, direction, pounds, text, concept = line.rstrip("\n").split("\t")
                    yield trade, direction == "in", round(float(pounds) * 100), fold(text), concept


# What a document settles is never told by words.
SETTLED = {"trade_debtors", "trade_creditors"}


def line_examples():
    """One row per line, name and pattern: concept, features, weight, hash of the text."""
    with open(os.path.join(KNOWLEDGE, "concepts.tsv"), encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    kinds = {row[0]: row[1] for row in rows if len(row) > 1 and row[0] not in SETTLED}
    seen = set()
    for _, money_in, pence, text, concept in labelled_lines():
        if concept in kinds and (concept, text) not in seen:
            seen.add((concept, text))
            yield concept, line_features(text, money_in, pence), 1.0, zlib.crc32(text.encode())
    for source in (listed_names("names"), pattern_names()):
        for concept, text, weight in source:
            text = fold(text)
            if concept in kinds and text and (concept, text) not in seen:
                seen.add((concept, text))
                is_income = kinds[concept].startswith("INCOME")
                yield concept, line_features(text, is_income, 0), NAME_IN_LINES * weight, zlib.crc32(text.encode())


def line_features(text, money_in, pence):
    """The buckets of a line: those of its text, twice its direction, and how many binary digits its amount has.

    The same function stands in `text_model.rs`.
    """
    direction = b"in" if money_in else b"out"
    more = [b"d" + direction, b"D" + direction] + ([b"a%d" % pence.bit_length()] if pence else [])
    return features(text) + [fnv1a(feature) % BUCKETS for feature in more]


def matrix(all_features):
    """A sparse matrix of features, each row of unit length."""
    rows, columns, values = [], [], []
    for row, found in enumerate(all_features):
        rows += [row] * len(found)
        columns += found
        values += [1.0 / max(1.0, len(found)) ** 0.5] * len(found)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(all_features), BUCKETS), dtype=numpy.float32)


def fit(inputs, classes, weights, count, steps=STEPS):
    """Weights and biases of a multinomial logistic regression, by Adam over all rows at once."""
    total = numpy.zeros((BUCKETS, count), numpy.float32)
    bias = numpy.zeros(count, numpy.float32)
    first, second = numpy.zeros_like(total), numpy.zeros_like(total)
    first_bias, second_bias = numpy.zeros_like(bias), numpy.zeros_like(bias)
    wanted = numpy.zeros((inputs.shape[0], count), numpy.float32)
    wanted[numpy.arange(inputs.shape[0]), classes] = 1.0
    transposed = inputs.T.tocsr()
    for step in range(1, steps + 1):
        scores = inputs @ total + bias
        scores -= scores.max(axis=1, keepdims=True)
        chances = numpy.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        error = (chances - wanted) * weights[:, None]
        slope = transposed @ error / weights.sum() + PENALTY * total
        slope_bias = error.sum(axis=0) / weights.sum()
        rate = RATE * (1.0 - 0.9 * step / steps)
        for value, gradient, mean, square in ((total, slope, first, second), (bias, slope_bias, first_bias, second_bias)):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            value -= rate * (mean / (1 - 0.9**step)) / (numpy.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return total, bias


def write(path, concepts, total, bias):
    """The file: u16 classes, u32 buckets, names of classes, f32 scale and bias of each class, int8 weights by bucket."""
    scale = numpy.maximum(numpy.abs(total).max(axis=0) / 127.0, 1e-9)
    numbers = numpy.clip(numpy.rint(total / scale), -127, 127).astype(numpy.int8)
    with open(path, "wb") as file:
        file.write(struct.pack("<HI", len(concepts), BUCKETS))
        for concept in concepts:
            name = concept.encode()
            file.write(struct.pack("<B", len(name)) + name)
        file.write(scale.astype("<f4").tobytes())
        file.write(bias.astype("<f4").tobytes())
        file.write(numbers.tobytes())


# How many letters of a longer name are enough to know it: statements cut names at 18 and more, spaces included.
ENOUGH = 16


def glued(text):
    """A name without spaces and without words that say what kind of firm it is. The same function stands in `payee_names.rs`."""
    return "".join(word for word in text.split(" ") if word not in SILENT)


def names_table(concepts):
    """Keys of listed names and the class of each; a name with several classes tells nothing."""
    known = {concept: at for at, concept in enumerate(concepts)}
    found = {}
    for concept, text, _ in listed_names("names", "further_names"):
        text = glued(fold(text))
        if concept not in known or len(text) < 5:
            continue
        for form in {text, text[:ENOUGH]} if len(text) > ENOUGH else {text}:
            found.setdefault(fnv1a(form.encode()), set()).add(known[concept])
    return sorted((key, min(classes)) for key, classes in found.items() if len(classes) == 1)


def write_names(path, concepts, table):
    """The file: u16 classes, u32 names, names of classes, u32 keys in their order, u8 class of each."""
    with open(path, "wb") as file:
        file.write(struct.pack("<HI", len(concepts), len(table)))
        for concept in concepts:
            name = concept.encode()
            file.write(struct.pack("<B", len(name)) + name)
        file.write(b"".join(struct.pack("<I", key) for key, _ in table))
        file.write(bytes(at for _, at in table))


def payee_rows():
    """What the model of payees learns from: names of classes, classes, features, weights and hashes of the rows."""
    rows = list(examples(expense_concepts()))
    present = sorted({row[0] for row in rows})
    names = expense_concepts()
    concepts = [names[at] for at in present]
    place = {at: index for index, at in enumerate(present)}
    classes = numpy.array([place[row[0]] for row in rows])
    counts = numpy.bincount(classes, minlength=len(concepts))
    # Classes with many names are not likelier for it: each weighs as often as it is paid for, tempered.
    often = frequencies()
    usual = numpy.array([often.get(concept, 0.7) ** TEMPER for concept in concepts])
    weights = numpy.array([row[2] for row in rows], numpy.float32) * (usual / counts)[classes].astype(numpy.float32)
    return concepts, classes, [features(row[1]) for row in rows], weights, [row[3] for row in rows]


def line_rows():
    """The same for the model of lines, whose authors wrote purchases about as often as they are made."""
    rows = list(line_examples())
    concepts = sorted({row[0] for row in rows})
    place = {concept: at for at, concept in enumerate(concepts)}
    classes = numpy.array([place[row[0]] for row in rows])
    return concepts, classes, [row[1] for row in rows], numpy.array([row[2] for row in rows], numpy.float32), [row[3] for row in rows]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--output")
    options.add_argument("--names", action="store_true", help="writes the table of names alone")
    options.add_argument("--lines", action="store_true", help="fits the model of whole lines")
    options.add_argument("--held-out", action="store_true", help="fits without a tenth of the texts and says how many of them it tells")
    options = options.parse_args()
    if options.names:
        table = names_table(expense_concepts())
        write_names(options.output or os.path.join(KNOWLEDGE, "payee_names.bin"), expense_concepts(), table)
        print(f"{len(table)} names")
        return
    concepts, classes, all_features, weights, hashes = line_rows() if options.lines else payee_rows()
    steps = LINE_STEPS if options.lines else STEPS
    inputs = matrix(all_features)
    print(f"{len(all_features)} texts, {len(concepts)} classes")
    if options.held_out:
        held = numpy.array([value % 10 == 0 for value in hashes])
        total, bias = fit(inputs[~held], classes[~held], weights[~held], len(concepts), steps)
        scores = inputs[held] @ total + bias
        right = scores.argmax(axis=1) == classes[held]
        chances = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        best = (chances / chances.sum(axis=1, keepdims=True)).max(axis=1)
        print(f"held out: {right.mean():.3f} of {held.sum()} right")
        for low in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            inside = (best >= low) & (best < low + 0.1)
            if inside.any():
                print(f"  said {low:.1f}: {right[inside].mean():.3f} of {inside.sum()}")
        return
    total, bias = fit(inputs, classes, weights, len(concepts), steps)
    output = options.output or os.path.join(KNOWLEDGE, "lines.bin" if options.lines else "payees.bin")
    write(output, concepts, total, bias)
    print(f"{os.path.getsize(output)} bytes")


if __name__ == "__main__":
    main()
