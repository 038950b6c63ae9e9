"""Short phrases the table has to get right: all that the knowledge says, and what bank lines are made of."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

WORDS = Path(__file__).parent / "words"
TRADE_LIMIT = 10_000
PAYEE_LIMIT = 8_000
MONTHS = "jan feb mar apr may june july aug sept oct nov dec".split()
FIRM_ENDS = ("ltd", "limited", "uk", "services", "group", "and sons", "and co", "centre", "supplies", "direct")


@dataclass(frozen=True)
class Phrase:
    """A text, where it comes from and, where they are known, its concept and the phrase it was made of."""

    text: str
    kind: str
    concept: str | None = None
    made_of: str | None = None


def collect(knowledge: Path) -> list[Phrase]:
    """Every phrase once, in a fixed order. The first source that has a text names its kind."""
    known = list(from_knowledge(knowledge))
    patterns = [phrase.text for phrase in known if phrase.kind == "pattern"]
    forenames = [word.lower() for word in _words(knowledge / "forenames.txt")]
    first: dict[str, Phrase] = {}
    for phrase in known + generate(patterns, forenames):
        text = " ".join(phrase.text.lower().split())
        if text and text not in first:
            first[text] = replace(phrase, text=text)
    return list(first.values())


def from_knowledge(folder: Path):
    """What the files of the coding knowledge say; formats are in their README."""
    for concept, *_, about in _rows(folder / "concepts.tsv"):
        for text in [about, *about.split(","), concept.replace("_", " ")]:
            yield Phrase(text.strip(), "description", concept)
    for path in sorted(folder.glob("patterns*.txt")):
        for head, body in _headed(path):
            concept = head.lstrip("+-").rstrip("!?").strip()
            for pattern in body.split(","):
                for text in spell_out(pattern):
                    yield Phrase(text, "pattern", concept)
    for concept, body in _headed(folder / "accounts.txt"):
        for tier, names in enumerate(body.split(" / ")):
            for name in names.split(";"):
                text = " ".join(word for word in name.split() if not word.startswith("!"))
                # Only the first tier names the concept itself; the others name accounts that also take it.
                yield Phrase(text, "account", concept if tier == 0 else None)
    for name, *_, concepts in _rows(folder / "account_examples.tsv"):
        yield Phrase(name, "account", concepts.split(",")[0].strip())
    for text in _sector_texts(folder / "sectors.txt"):
        yield Phrase(text, "sector")


def spell_out(pattern: str) -> list[str]:
    """A pattern as the words it matches: a star inside stands for a plural, one at the end for any rest of the word."""
    spelled = [""]
    body = pattern.strip()
    for word in body.removesuffix("*").split():
        stem = word.removesuffix("*")
        endings = [stem, stem + "S"] if word.endswith("*") else [stem]
        spelled = [f"{start} {ending}".strip() for start in spelled for ending in endings]
    return [text for text in spelled if text]


def generate(patterns: list[str], forenames: list[str]) -> list[Phrase]:
    """Trades with places and surnames, payees with places, people with purposes: what the names in bank lines are made of.

    Every pick follows from the words around it and not from a row of random numbers, so that a new pattern adds phrases
    and leaves the others as they were, with their vectors in the cache. Beyond the limits those of lowest hash stay."""
    trades, purposes = _lines(WORDS / "trades.txt"), _lines(WORDS / "purposes.txt")
    places, surnames = _words(WORDS / "places.txt"), _words(WORDS / "surnames.txt")
    lists = {
        "place": places, "surname": surnames, "other": surnames, "forename": forenames or surnames, "end": FIRM_ENDS,
        "trade": trades, "purpose": purposes, "month": MONTHS, "initial": "abcdefghijklmnoprstw",
    }
    of_trades = _filled(TRADE_TEMPLATES, "trade", trades, lists) + _filled(PURPOSE_TEMPLATES, "purpose", purposes, lists)
    of_payees = _filled(PAYEE_TEMPLATES, "payee", sorted(set(patterns)), lists)
    plain = [Phrase(text, "generated") for text in trades + purposes]
    return plain + _fewer(of_trades, TRADE_LIMIT) + _fewer(of_payees, PAYEE_LIMIT)


def _filled(templates, given: str, words: list[str], lists: dict[str, list[str]]) -> list[Phrase]:
    filled = []
    for word in words:
        for template, times in templates:
            for time in range(times):
                picked = {name: pick(f"{template}|{word}|{time}|{name}", choices) for name, choices in lists.items()}
                filled.append(Phrase(template.format(**(picked | {given: word})), "generated", made_of=word.lower()))
    return filled


def _fewer(phrases: list[Phrase], limit: int) -> list[Phrase]:
    return sorted(phrases, key=lambda phrase: hashlib.sha256(phrase.text.encode()).digest())[:limit]


TRADE_TEMPLATES = (
    ("{place} {trade}", 4), ("{surname} {trade}", 4), ("{trade} {place}", 2), ("{surname} {trade} {place}", 2),
    ("{trade} {end}", 2), ("{initial} {surname} {trade}", 1), ("{surname} and {other} {trade}", 1),
    ("the {place} {trade} company", 1), ("{place} {trade} ltd", 1), ("{trade} {purpose}", 2),
)
PURPOSE_TEMPLATES = (
    ("{purpose} {month}", 2), ("{forename} {surname} {purpose}", 4), ("{initial} {surname} {purpose}", 3),
    ("{purpose} {surname}", 2), ("{place} {purpose}", 2), ("{forename} {purpose}", 2), ("{surname} {trade} {purpose}", 3),
)
PAYEE_TEMPLATES = (("{payee} {place}", 1), ("{payee} {end}", 1), ("{payee} {purpose}", 1))


def pick(seed: str, choices) -> str:
    """One of the choices, always the same for the same seed."""
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    return choices[number % len(choices)]


def held_out(phrases: list[Phrase], count: int) -> list[bool]:
    """Which phrases a fit does not see: those of lowest hash, so that a grown knowledge keeps most of them."""
    order = sorted(range(len(phrases)), key=lambda at: hashlib.sha256(b"held out " + phrases[at].text.encode()).digest())
    chosen = set(order[:count])
    return [at in chosen for at in range(len(phrases))]


def may_be_seen(phrases: list[Phrase], held: list[bool]) -> list[bool]:
    """Which phrases a fit may see while others are held out: those neither held out nor made of one that is."""
    hidden = {phrase.text for phrase, out in zip(phrases, held) if out}
    return [not out and phrase.made_of not in hidden for phrase, out in zip(phrases, held)]


def _sector_texts(path: Path):
    for line in _lines(path):
        key, _, value = line.partition(":")
        if line.startswith("["):
            yield line.strip("[]").replace("_", " ")
        elif key.strip() in ("context", "words"):
            for item in value.split(","):
                yield from spell_out(item.split("=")[0])


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _words(path: Path) -> list[str]:
    return " ".join(_lines(path)).split()


def _rows(path: Path) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("\t")] for line in _lines(path)]


def _headed(path: Path) -> list[tuple[str, str]]:
    return [(head.strip(), body) for head, colon, body in (line.partition(":") for line in _lines(path)) if colon]
