"""Fits what likelihoods of VAT codes are: the layers of vat_likelihood.bin, and the weights of vat_likelihood.rs (see README.md)."""

import argparse
import collections
import json
import pathlib

import numpy
import torch

from train import CODING, CONCEPTS, DIMENSIONS, PARTS, TRAITS, Words

# In the order of `Vat::ALL`.
CODES = ["NV", "ST", "RR", "EX", "ZR"]
KINDS = ["INCOME", "EXPENSE"]
LINE_WORDS = 8

EPOCHS = 18
RATE = 0.003
LINES_A_STEP = 256
DECAY = 1e-3
INPUTS_LEFT_OUT = 0.1
UNITS_LEFT_OUT = 0.3

# How many numbers each part of the input has, in the order of the file.
PARTS_OF_INPUT = [DIMENSIONS, DIMENSIONS, DIMENSIONS, DIMENSIONS, TRAITS, CONCEPTS, len(KINDS)]


class Lines:
    """Inputs of lines, which codes are right, and the folder of each."""

    def __init__(self):
        self.inputs, self.right, self.folders, self.by_rules = [], [], [], []

    def add(self, given, right, folder, by_rules=None):
        self.inputs.append(given)
        self.right.append([code in right for code in CODES])
        self.folders.append(folder)
        self.by_rules.append([code == by_rules for code in CODES])

    def close(self):
        self.inputs = torch.tensor(numpy.array(self.inputs))
        self.right, self.by_rules = torch.tensor(self.right), torch.tensor(self.by_rules, dtype=torch.float32)
        return self


def read(path, decisions):
    """Lines as they are labelled, and lines as they were decided by engines that had not learned from them."""
    words, labelled, decided = Words(), Lines(), Lines()

    def sum_of(parts):
        total = numpy.zeros(DIMENSIONS, numpy.float32)
        for word, part in parts:
            total += words.vectors[words.number(word)] * part
        return words.unit(total)

    for text in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(text)
        folder = record["folder"].rpartition("coding_quality/")[2].rstrip("/")
        accounts, lines = {account["code"]: account for account in record["accounts"]}, record["lines"]
        if sum(bool(line["vat"]) and line["vat"][0] != "NV" for line in lines) < 2:
            continue
        names = {code: words.of_text(account["name"]) for code, account in accounts.items()}
        context = words.of_text(record["context"].replace("'", "").replace("\u2019", ""))
        known = decisions.get((folder, record["id"]), {})
        is_registered = sum(code != "NV" for _, code in known.values()) >= 2
        for row, line in enumerate(lines):
            if line["method"] in ("transfer", "invoice_settlement") or not line["vat"]:
                continue
            of_line = sum_of([(word, 1.0) for word in line["words"][:LINE_WORDS]])
            around = sum_of(line["near"])
            traits = numpy.zeros(TRAITS, numpy.float32)
            traits[line["traits"]] = 1
            concepts = numpy.zeros(CONCEPTS, numpy.float32)
            for concept, share, _ in line["clues"]:
                concepts[concept] = share

            def given(code):
                kind = numpy.array([accounts[code]["type"] == kind for kind in KINDS], numpy.float32)
                return numpy.concatenate([of_line, names[code], around, context, traits, concepts, kind])

            right = line["accounts"][0]
            if right in accounts and accounts[right]["type"] in KINDS:
                labelled.add(given(right), line["vat"], folder)
            account, code = known.get(row, (None, None))
            if is_registered and account in accounts and accounts[account]["type"] in KINDS:
                decided.add(given(account), line["vat"], folder, code)
    return labelled.close(), decided.close()


def fit_layers(lines, rows):
    """The layers that make right codes likely."""
    torch.manual_seed(0)
    first, last = torch.nn.Linear(sum(PARTS_OF_INPUT), DIMENSIONS), torch.nn.Linear(DIMENSIONS, len(CODES))
    left_out = torch.nn.Dropout(INPUTS_LEFT_OUT), torch.nn.Dropout(UNITS_LEFT_OUT)
    layers = torch.nn.Sequential(left_out[0], first, torch.nn.ReLU(), left_out[1], last)
    optimiser = torch.optim.AdamW(layers.parameters(), lr=RATE, weight_decay=DECAY)
    for epoch in range(EPOCHS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - epoch / EPOCHS)
        order = rows[torch.randperm(len(rows))]
        for start in range(0, len(order), LINES_A_STEP):
            some = order[start : start + LINES_A_STEP]
            chances = torch.log_softmax(layers(lines.inputs[some]), 1).masked_fill(~lines.right[some], -1e9)
            optimiser.zero_grad()
            (-torch.logsumexp(chances, 1).mean()).backward()
            optimiser.step()
    return layers.eval()


def fit_weights(likelihoods, lines, rows, steps=200):
    """What the likelihood counts, what it counts that the rules say a code, and what each code counts beforehand."""
    likelihood = torch.zeros(1, requires_grad=True)
    by_rules, beforehand = (torch.zeros(len(CODES), requires_grad=True) for _ in range(2))
    optimiser = torch.optim.Adam([likelihood, by_rules, beforehand], lr=0.05)
    for _ in range(steps):
        scores = likelihood * likelihoods[rows] + lines.by_rules[rows] * by_rules + beforehand
        chances = torch.log_softmax(scores, 1).masked_fill(~lines.right[rows], -1e9)
        loss = -torch.logsumexp(chances, 1).mean() + 1e-3 * ((by_rules**2).sum() + (beforehand**2).sum())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return likelihood.detach(), by_rules.detach(), beforehand.detach()


def rows_of(lines, folders):
    return torch.tensor([row for row, folder in enumerate(lines.folders) if folder in folders], dtype=torch.long)


def report(scores, lines):
    """What is right by the rules, and by the scores, by the lead that another code must have."""
    rules = lines.by_rules.argmax(1)
    lead = scores.max(1).values - scores.gather(1, rules[:, None])[:, 0]
    for name in ("extracts", "months"):
        of = torch.tensor([folder.startswith("extracts") == (name == "extracts") for folder in lines.folders])

        def share(codes):
            return float(lines.right.gather(1, codes[:, None])[of].float().mean())

        taken = {least: share(torch.where(lead > least, scores.argmax(1), rules)) for least in (0.0, 0.3, 0.6, 1.0)}
        print(f"{name}: {int(of.sum())} lines, right by the rules {share(rules):.4f};", ", ".join(f"lead {least}: {right:.4f}" for least, right in taken.items()))


def written(layers):
    """The bytes of vat_likelihood.bin."""
    parts, first, last = [numpy.array([CONCEPTS], "<u4").tobytes()], layers[1], layers[4]
    squares = [*torch.split(first.weight.detach().T, PARTS_OF_INPUT), last.weight.detach()]
    for square in squares:
        scale = float(numpy.float32(square.abs().max() / 127)) or 1.0
        parts.append(numpy.array([0.0, scale], "<f4").tobytes())
        parts.append(numpy.clip(numpy.rint(square.numpy() / scale), -127, 127).astype("i1").tobytes())
    for numbers in (first.bias, last.bias):
        parts.append(numbers.detach().numpy().astype("<f4").tobytes())
    return b"".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=pathlib.Path, help="what coding_quality --ranking-inputs printed")
    parser.add_argument("--decisions", type=pathlib.Path, default=pathlib.Path(__file__).with_name("vat_decisions.tsv"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    decisions = collections.defaultdict(dict)
    for text in options.decisions.read_text(encoding="utf-8").splitlines()[1:]:
        folder, name, row, account, code = text.split("\t")
        decisions[folder, name][int(row)] = (account, code)
    labelled, decided = read(options.inputs, decisions)
    folders = sorted(set(labelled.folders) | set(decided.folders))
    numpy.random.RandomState(1).shuffle(folders)
    likelihoods, scores = torch.zeros(len(decided.folders), len(CODES)), torch.zeros(len(decided.folders), len(CODES))
    for part in range(PARTS):
        out = set(folders[part::PARTS])
        layers = fit_layers(labelled, rows_of(labelled, set(folders) - out))
        rows = rows_of(decided, out)
        with torch.no_grad():
            likelihoods[rows] = torch.log_softmax(layers(decided.inputs[rows]), 1)
    for part in range(PARTS):
        out = set(folders[part::PARTS])
        likelihood, by_rules, beforehand = fit_weights(likelihoods, decided, rows_of(decided, set(folders) - out))
        rows = rows_of(decided, out)
        scores[rows] = torch.log_softmax(likelihood * likelihoods[rows] + decided.by_rules[rows] * by_rules + beforehand, 1)
    report(scores, decided)
    for weights in fit_weights(likelihoods, decided, torch.arange(len(decided.folders))):
        print([round(float(weight), 2) for weight in weights])
    layers = fit_layers(labelled, torch.arange(len(labelled.folders)))
    (CODING / "knowledge/vat_likelihood.bin").write_bytes(written(layers))


if __name__ == "__main__":
    main()
