"""Two readings of a text as WordPiece tokens: the model's own, and the engine's, which looks up rows of the table."""

import unicodedata

LONGEST_WORD = 100


def read_vocabulary(text: str) -> list[str]:
    """Tokens by their number, one per line."""
    return text.splitlines() if "\r" in text else text.removesuffix("\n").split("\n")


def table_tokens(vocabulary: list[str]) -> list[int]:
    """Tokens worth a row: whole or inner pieces of English words. The engine splits at everything that is neither letter
    nor digit, so that no other token can ever be looked up; `[CLS]` and its like are not text."""
    return [number for number, token in enumerate(vocabulary) if token.removeprefix("##").isascii() and token.removeprefix("##").isalnum()]


def pieces(word: str, numbers: dict[str, int]) -> list[int] | None:
    """The longest known piece from the left, again and again; nothing when a rest is unknown."""
    found = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            number = numbers.get(("##" if start else "") + word[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return None
    return found


class ModelTokenizer:
    """The uncased BERT tokenizer: lower case, no accents, punctuation as words of its own."""

    def __init__(self, vocabulary: list[str]):
        self.numbers = {token: number for number, token in enumerate(vocabulary)}
        self.first = self.numbers["[CLS]"]
        self.last = self.numbers["[SEP]"]
        self.unknown = self.numbers["[UNK]"]

    def frame(self, tokens: list[int], longest: int = 256) -> tuple[int, ...]:
        """Tokens between the marks the model wants around a text, cut to what it reads."""
        return (self.first, *tokens[: longest - 2], self.last)

    def encode(self, text: str) -> tuple[int, ...]:
        """A text as the model reads it."""
        tokens = []
        for word in self._words(text):
            found = pieces(word, self.numbers) if len(word) <= LONGEST_WORD else None
            tokens.extend([self.unknown] if found is None else found)
        return self.frame(tokens)

    def _words(self, text: str) -> list[str]:
        plain = []
        for character in unicodedata.normalize("NFD", text.lower()):
            category = unicodedata.category(character)
            if category == "Mn" or character in "\0\ufffd" or (category.startswith("C") and character not in "\t\n\r"):
                continue
            if _is_punctuation(character, category) or _is_ideograph(character):
                plain.append(f" {character} ")
            else:
                plain.append(character)
        return "".join(plain).split()


class EngineTokenizer:
    """The reading of `Meaning::vector` in `src/domain/coding/meaning.rs`; both have to stay alike."""

    def __init__(self, vocabulary: list[str], tokens: list[int]):
        self.rows = {vocabulary[number]: row for row, number in enumerate(tokens)}

    def rows_of(self, text: str) -> list[int]:
        """Rows of the table whose mean is the text's vector; none when no word is known."""
        found = []
        for word in "".join(c if c.isalnum() else " " for c in text.lower()).split():
            found.extend(pieces(word, self.rows) or [])
        return found


def _is_punctuation(character: str, category: str) -> bool:
    return category.startswith("P") or (character.isascii() and not character.isalnum() and character.isprintable() and character != " ")


def _is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F)))
