"""Fits what ranks lines in doubt: the forms of likeness.bin, and the weights of ranking.rs (see README.md)."""

import argparse
import collections
import json
import math
import pathlib

import numpy
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODING = ROOT / "src/domain/coding"
DIMENSIONS = 128
LONGEST_PIECE = 24
WORDS = 8
NEAR_WORDS = 24
TELLING = 8
WEIGHT_MOST = 4.0
FARTHEST = -8.0
NOT_COMPARED = -3.0
SURE_FROM = 900
USED_FROM = 800

TRAITS = 76
CONCEPTS = sum(bool(row) and not row.startswith("#") for row in (CODING / "knowledge/concepts.tsv").read_text(encoding="utf-8").split("\n"))
CLUES = 6

EPOCHS = 12
RATE = 0.015
BUSINESSES_A_STEP = 6
DECAY = 1e-5
# What part of words and clues, and of units of the hidden layer, is left out at random, so that no line is known by one of them.
WORDS_LEFT_OUT = 0.15
UNITS_LEFT_OUT = 0.2
PARTS = 5


class Words:
    """Meanings of words, as `meaning.rs` reads them."""

    def __init__(self):
        data = (CODING / "embedding/tuned_128.bin").read_bytes()
        tokens = (CODING / "embedding/vocab.txt").read_text(encoding="utf-8").split("\n")
        count = int(numpy.frombuffer(data, "<u4", 1)[0])
        numbers = numpy.frombuffer(data, "<u2", count, 4)
        scales = numpy.frombuffer(data, "<f4", count, 4 + 2 * count)
        values = numpy.frombuffer(data, "i1", count * DIMENSIONS, 4 + 6 * count).reshape(count, DIMENSIONS)
        self.rows = {tokens[number]: row for row, number in enumerate(numbers)}
        self.table = values.astype(numpy.float32) * scales[:, None]
        self.numbers = {}
        self.vectors = [numpy.zeros(DIMENSIONS, numpy.float32)]

    def pieces(self, word):
        """The table's rows of a word; none where a piece is not known."""
        word, at, found = word.lower(), 0, []
        while at < len(word):
            for end in range(min(len(word), at + LONGEST_PIECE), at, -1):
                row = self.rows.get(("##" if at else "") + word[at:end])
                if row is not None:
                    found.append(row)
                    at = end
                    break
            else:
                return []
        return found

    def number(self, word):
        """A number for a word; nothing is 0."""
        if word not in self.numbers:
            self.numbers[word] = len(self.vectors)
            self.vectors.append(self.unit(self.table[self.pieces(word)].sum(axis=0)))
        return self.numbers[word]

    @staticmethod
    def unit(vector):
        length = numpy.linalg.norm(vector)
        return (vector / length if length else vector).astype(numpy.float32)

    def of_text(self, text):
        """The meaning of several words."""
        words = "".join(sign if sign.isalnum() else " " for sign in text).split()
        return self.unit(self.table[[row for word in words for row in self.pieces(word)]].sum(axis=0))


def padded(items, count):
    return (items + [0] * count)[:count]


class Business:
    """One labelled business: its accounts, and its lines."""

    def __init__(self, record, words):
        # As `decisions.tsv` has it, wherever the folders lie.
        self.folder, self.id = record["folder"].rpartition("coding_quality/")[2].rstrip("/"), record["id"]
        accounts = record["accounts"]
        self.codes = [account["code"] for account in accounts]
        self.types = numpy.array([account["type"] for account in accounts])
        self.is_always_named = numpy.array([account["is_always_named"] for account in accounts])
        self.telling = [account["telling"] for account in accounts]
        self.stems = torch.tensor([padded([words.number(stem) for stem, _ in telling], TELLING) for telling in self.telling])
        self.names = torch.tensor(numpy.array([words.of_text(account["name"]) for account in accounts]))
        self.lines = record["lines"]
        self.pence = [int(line["pence"]) for line in self.lines]
        self.words = torch.tensor([padded([words.number(word) for word in line["words"]], WORDS) for line in self.lines])
        self.near = torch.tensor([padded([words.number(word) for word, _ in line["near"]], NEAR_WORDS) for line in self.lines])
        self.parts = torch.tensor([padded([part for _, part in line["near"]], NEAR_WORDS) for line in self.lines], dtype=torch.float32)
        self.traits = torch.zeros(len(self.lines), TRAITS)
        self.concepts = torch.zeros(len(self.lines), CLUES, dtype=torch.long)
        self.shares = torch.zeros(len(self.lines), CLUES)
        self.fits = numpy.zeros((len(self.lines), len(accounts)), numpy.float32)
        self.best_fits = numpy.zeros_like(self.fits)
        for row, line in enumerate(self.lines):
            self.traits[row, line["traits"]] = 1
            for at, (concept, share, fits) in enumerate(line["clues"]):
                self.concepts[row, at], self.shares[row, at] = concept, share
                for account, fit in fits:
                    self.fits[row, account] += fit * share
                    self.best_fits[row, account] = max(self.best_fits[row, account], fit * share)
        is_in = numpy.array(self.pence) > 0
        self.is_of_type = self.types[None, :] == numpy.where(is_in, "INCOME", "EXPENSE")[:, None]
        beside_costs, beside_sales = numpy.array([account["is_beside"] for account in accounts]).T
        self.compared = torch.tensor(self.is_of_type | numpy.where(is_in[:, None], beside_sales, beside_costs))
        self.right = torch.tensor([[code in line["accounts"] for code in self.codes] for line in self.lines])
        apart = [line["method"] in ("transfer", "invoice_settlement") for line in self.lines]
        self.is_learned = ~torch.tensor(apart) & (self.right & self.compared).any(1)
        self.vectors = None

    def embed(self, table):
        self.vectors = table[self.stems], table[self.words], table[self.near]


class Forms(torch.nn.Module):
    """The forms of `likeness.rs`."""

    def __init__(self):
        super().__init__()

        def zeros(*shape):
            return torch.nn.Parameter(torch.zeros(*shape))

        def small(rows):
            return torch.nn.Parameter(torch.randn(rows, DIMENSIONS) * 0.05)

        self.identities = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor(part)) for part in (6.0, 0.5, 0.5, 0.0)])
        self.squares = torch.nn.ParameterList([zeros(DIMENSIONS, DIMENSIONS) for _ in range(4)])
        self.traits, self.concepts = zeros(TRAITS, DIMENSIONS), zeros(CONCEPTS, DIMENSIONS)
        self.hidden_line, self.hidden_around, self.hidden_traits = small(DIMENSIONS), small(DIMENSIONS), small(TRAITS)
        self.hidden_concepts = small(CONCEPTS)
        self.units = zeros(DIMENSIONS, DIMENSIONS)
        self.hidden = zeros(DIMENSIONS)
        self.telling = zeros(DIMENSIONS)

    def rows(self):
        """What is written as rows of whole numbers, each with the identity's part."""
        nothing = torch.tensor(0.0)
        yield from zip(self.identities, self.squares)
        for rows in (self.traits, self.concepts, self.hidden_line, self.hidden_around, self.hidden_traits, self.hidden_concepts, self.units):
            yield nothing, rows

    def turned(self, form, vectors):
        return self.identities[form] * vectors + vectors @ self.squares[form]

    def forward(self, business, rows):
        """By line and account: how near by the line, by the context, and by single words."""
        stems, words, near = business.vectors
        words, near, parts, traits = words[rows], near[rows], business.parts[rows], business.traits[rows]
        is_word = (business.words[rows] > 0).float()
        concepts, shares = business.concepts[rows], business.shares[rows, :, None]
        if self.training:
            shares = shares * (torch.rand(shares.shape) > WORDS_LEFT_OUT)
            is_word = is_word * (torch.rand(is_word.shape) > WORDS_LEFT_OUT)
            parts = parts * (torch.rand(parts.shape) > WORDS_LEFT_OUT)
        count, accounts = len(words), len(stems)
        weights = torch.exp(torch.clamp(words @ self.telling, -WEIGHT_MOST, WEIGHT_MOST)) * is_word
        line = torch.nn.functional.normalize((words * weights[..., None]).sum(1), dim=-1)
        around = torch.nn.functional.normalize((near * parts[..., None]).sum(1), dim=-1)
        hidden = line @ self.hidden_line + around @ self.hidden_around + traits @ self.hidden_traits + self.hidden
        hidden = hidden + (self.hidden_concepts[concepts] * shares).sum(1)
        units = torch.nn.functional.dropout(torch.relu(hidden), UNITS_LEFT_OUT, self.training)
        whole = self.turned(0, line) + traits @ self.traits + units @ self.units + (self.concepts[concepts] * shares).sum(1)
        flat = stems.reshape(-1, DIMENSIONS)

        def nearest(form, vectors, parts):
            each = (self.turned(form, vectors).reshape(-1, DIMENSIONS) @ flat.T).reshape(count, -1, accounts, TELLING)
            return (each.max(-1).values.clamp(min=0) * parts[..., None]).max(1).values

        by_words, by_near = nearest(1, words, is_word), nearest(2, near, parts)
        by_line = whole @ business.names.T + by_words
        by_context = self.turned(3, around) @ business.names.T + by_near
        return by_line, by_context, by_words + by_near

    def size(self):
        return sum((part**2).sum() for name, part in self.named_parameters() if not name.startswith("identities"))


def fit_forms(businesses):
    """The forms that make right accounts likely among those that are compared."""
    torch.manual_seed(0)
    forms = Forms()
    optimiser = torch.optim.Adam(forms.parameters(), lr=RATE)
    for epoch in range(EPOCHS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - epoch / EPOCHS)
        order = numpy.random.RandomState(epoch).permutation(len(businesses))
        for start in range(0, len(order), BUSINESSES_A_STEP):
            loss, count = 0, 0
            for at in order[start : start + BUSINESSES_A_STEP]:
                business = businesses[at]
                rows = business.is_learned
                if not rows.any():
                    continue
                by_line, by_context, _ = forms(business, rows)
                chances = torch.log_softmax((by_line + by_context).masked_fill(~business.compared[rows], -1e9), 1)
                loss = loss - torch.logsumexp(chances.masked_fill(~business.right[rows], -1e9), 1).sum()
                count += int(rows.sum())
            optimiser.zero_grad()
            (loss / count + DECAY * forms.size()).backward()
            optimiser.step()
    return forms.eval()


def quantised(forms):
    """The forms as they are written: weights of eight bits."""
    scales = []
    with torch.no_grad():
        for _, rows in forms.rows():
            scale = float(numpy.float32(rows.abs().max() / 127)) or 1.0
            rows.copy_(torch.clamp(torch.round(rows / scale), -127, 127) * scale)
            scales.append(scale)
    return scales


def written(forms):
    """The bytes of likeness.bin."""
    parts = [numpy.array([CONCEPTS], "<u4").tobytes()]
    scales = quantised(forms)
    for (identity, rows), scale in zip(forms.rows(), scales):
        parts.append(numpy.array([identity.item(), scale], "<f4").tobytes())
        parts.append(numpy.rint(rows.detach().numpy() / scale).astype("i1").tobytes())
    for numbers in (forms.hidden, forms.telling):
        parts.append(numbers.detach().numpy().astype("<f4").tobytes())
    return b"".join(parts)


def digits(pence):
    """Binary digits of an amount in pence."""
    return max(1, abs(pence)).bit_length()


def shared_beginning(one, other):
    same = 0
    for a, b in zip(one, other):
        if a != b:
            break
        same += 1
    return min(same, 6) / 6 if same >= 3 else 0.0


class Doubtful:
    """A line in doubt: measures of each account it may go to, and which are right."""

    def __init__(self, measures, right, nearness, chosen_right):
        self.measures, self.right, self.nearness, self.chosen_right = measures, right, nearness, chosen_right


def doubtful_lines(business, decisions, forms):
    """The measures of `Ranking::candidates`, of lines that an engine which had not learned from them left in doubt."""
    with torch.no_grad():
        everything = torch.ones(len(business.lines), dtype=torch.bool)
        by_line, by_context, by_words = (scores.numpy() for scores in forms(business, everything))
    used = collections.defaultdict(list)
    for row, decision in decisions.items():
        if decision["method"] != "fallback" and decision["confidence"] >= USED_FROM:
            used[decision["account"]].append(digits(business.pence[row]))
    found = []
    for row, decision in decisions.items():
        is_open = decision["method"] == "fallback"
        if decision["method"] in ("transfer", "invoice_settlement") or not is_open and decision["confidence"] >= SURE_FROM:
            continue
        chosen = business.codes.index(decision["account"])
        compared = business.compared[row].numpy()
        if not is_open and (not compared[chosen] or business.is_always_named[chosen]):
            continue
        candidates = [at for at in range(len(business.codes)) if at == chosen or compared[at] and not business.is_always_named[at]]
        line, scores, others = business.lines[row], by_line[row], decision["others"]
        among = numpy.array([scores[at] for at in candidates if compared[at]] or [0.0])
        total = among.max() + math.log(numpy.exp(among - among.max()).sum())
        context = [by_context[row][at] for at in candidates]
        sure = 0.0 if is_open else decision["confidence"] / 1000
        size = digits(business.pence[row])
        most_fit = max(business.best_fits[row][candidates].max(), 1e-30)
        measures = []
        for at in candidates:
            is_chosen, code = float(at == chosen), business.codes[at]
            begun = max((shared_beginning(word, stem) * rarity for stem, rarity in business.telling[at] for word in line["words"]), default=0.0)
            amounts = used.get(code)
            measures.append([
                max(scores[at] - total, FARTHEST) if compared[at] else NOT_COMPARED,
                max(by_context[row][at] - max(context), FARTHEST) if line["near"] else 0.0,
                begun,
                is_chosen,
                is_chosen * sure,
                is_chosen * bool(line["near"]),
                others.get(code, 0.0),
                float(code in others),
                float(business.is_of_type[row][at]),
                float(not amounts),
                2.0 ** -abs(size - sum(amounts) / len(amounts)) if amounts else 0.0,
                business.fits[row][at],
                business.best_fits[row][at] / most_fit,
            ])
        right = business.right[row].numpy()
        nearness = max(by_words[row][at] for at in candidates)
        found.append(Doubtful(numpy.array(measures, numpy.float32), right[candidates], nearness, bool(right[chosen])))
    return found


def fit_weights(lines, steps=300):
    """Weights of the measures, and what none of the accounts weighs: its own, and for every unit of nearness."""
    width, depth = lines[0].measures.shape[1], max(len(line.right) for line in lines)
    measures, is_there = torch.zeros(len(lines), depth, width), torch.zeros(len(lines), depth, dtype=torch.bool)
    right = torch.zeros(len(lines), depth + 1, dtype=torch.bool)
    for at, line in enumerate(lines):
        measures[at, : len(line.right)] = torch.tensor(line.measures)
        is_there[at, : len(line.right)] = True
        right[at, : len(line.right)] = torch.tensor(line.right)
        right[at, depth] = not line.right.any()
    nearness = torch.tensor([[line.nearness] for line in lines])
    weights, none = torch.zeros(width, requires_grad=True), torch.zeros(2, requires_grad=True)
    optimiser = torch.optim.Adam([weights, none], lr=0.05)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 0.05 * (1 - step / steps)
        scores = torch.cat([(measures @ weights).masked_fill(~is_there, -1e9), none[0] + none[1] * nearness], 1)
        chances = torch.log_softmax(scores, 1).masked_fill(~right, -1e9)
        loss = -torch.logsumexp(chances, 1).mean() + ((weights**2).sum() + (none**2).sum()) / len(lines)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return weights.detach().numpy(), none.detach().numpy()


def read_decisions(path):
    """By folder and business: what an engine that had not learned from it decided of each row."""
    decisions = collections.defaultdict(dict)
    for text in path.read_text(encoding="utf-8").splitlines()[1:]:
        folder, name, row, method, confidence, account, others = text.split("\t")
        shares = dict(other.rsplit("=", 1) for other in others.split(";") if other)
        decisions[folder, name][int(row)] = {
            "method": method,
            "confidence": int(confidence),
            "account": account,
            "others": {code: int(share) / 1000 for code, share in shares.items()},
        }
    return decisions


def report(by_folder):
    """Of each folder, what weights fitted to the other parts make of it, by the lead that another account must have."""
    folders = sorted(by_folder)
    leads = (0.0, 0.3, 0.5, 0.7, 0.9, 1.2)
    sums, chances = collections.defaultdict(lambda: [0, 0, *[0] * len(leads)]), []
    for part in range(PARTS):
        out = folders[part::PARTS]
        weights, none = fit_weights([line for folder in folders if folder not in out for line in by_folder[folder]])
        for folder in out:
            sums_of = sums["extracts" if folder.startswith("extracts") else "openings"]
            for line in by_folder[folder]:
                scores = line.measures @ weights
                chosen = int(numpy.argmax(line.measures[:, 3]))
                best = int(numpy.argmax(scores))
                sums_of[0] += 1
                sums_of[1] += line.chosen_right
                for at, lead in enumerate(leads):
                    taken = best if scores[best] - scores[chosen] > lead else chosen
                    sums_of[2 + at] += bool(line.right[taken])
                of_none = none[0] + none[1] * line.nearness
                chances.append((math.exp(scores[best]) / (numpy.exp(scores).sum() + math.exp(of_none)), bool(line.right[best])))
    for name, (count, before, *after) in sums.items():
        print(f"{name}: {count} in doubt, {before} right before;", ", ".join(f"lead {lead}: {right}" for lead, right in zip(leads, after)))
    for low in range(10):
        of = [right for chance, right in chances if low <= chance * 10 < low + 1]
        print(f"  chance {low / 10:.1f}: {len(of)} lines, {sum(of) / max(1, len(of)):.2f} right")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=pathlib.Path, help="what coding_quality --ranking-inputs printed")
    parser.add_argument("--decisions", type=pathlib.Path, default=pathlib.Path(__file__).with_name("decisions.tsv"))
    parser.add_argument("--forms-only", action="store_true", help="writes likeness.bin and fits no weights")
    options = parser.parse_args()
    torch.set_num_threads(1)
    words = Words()
    businesses = [Business(json.loads(text), words) for text in options.inputs.read_text(encoding="utf-8").splitlines()]
    table = torch.tensor(numpy.array(words.vectors))
    for business in businesses:
        business.embed(table)
    folders = sorted({business.folder for business in businesses})
    numpy.random.RandomState(1).shuffle(folders)
    if not options.forms_only:
        decisions, by_folder = read_decisions(options.decisions), collections.defaultdict(list)
        for part in range(PARTS):
            out = set(folders[part::PARTS])
            forms = fit_forms([business for business in businesses if business.folder not in out])
            quantised(forms)
            for business in businesses:
                if business.folder in out and (business.folder, business.id) in decisions:
                    by_folder[business.folder] += doubtful_lines(business, decisions[business.folder, business.id], forms)
        report(by_folder)
        weights, none = fit_weights([line for lines in by_folder.values() for line in lines])
        print("weights", [round(float(weight), 2) for weight in weights], "none", [round(float(number), 2) for number in none])
    forms = fit_forms(businesses)
    (CODING / "knowledge/likeness.bin").write_bytes(written(forms))


if __name__ == "__main__":
    main()
