//! A streaming check that bytes are one JSON text (RFC 8259), in constant memory.
//!
//! The specification answers malformed JSON before it looks at credentials, so an anonymous caller decides what is
//! parsed here: no tree, no buffer, no recursion; one `u128` is the whole stack. Chunks may be cut anywhere, inside a
//! number, an escape or a character. Refused beside RFC 8259's grammar: invalid UTF-8, a lone surrogate escape, a byte
//! order mark, more than 128 levels of nesting. Duplicate keys, `\u0000` and `1e999` are well-formed: products refuse
//! them.

/// The deepest nesting of arrays and objects.
pub const DEPTH_MAX: u32 = 128;

/// Why bytes are not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was wrong.
    pub reason: &'static str,
    /// Zero-based position of the byte that could not be accepted.
    pub offset: u64,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} at byte {}", self.reason, self.offset)
    }
}

/// The checker: feed it chunks, then ask whether the text is complete.
#[derive(Debug, Clone)]
pub struct JsonChecker {
    state: State,
    /// Bit 0 is the innermost container: 1 for an object, 0 for an array.
    containers: u128,
    depth: u32,
    /// The string being read is a key.
    key: bool,
    /// Inside `\uXXXX`.
    escape: UnicodeEscape,
    /// Inside a character of several bytes.
    character: Character,
    /// What is left of `true`, `false` or `null`.
    literal: &'static [u8],
    failed: Option<SyntaxError>,
    /// Bytes of earlier chunks.
    consumed: u64,
}

/// Where the text stands; what a state needs to know beside its name is in the checker, so that this stays one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the text; a byte order mark gets its own message here.
    Start,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// One whole value was read; only white space may follow.
    Done,
    Text,
    Escape,
    Hex,
    /// A high surrogate was read: `\` must follow.
    LowBackslash,
    /// … and then `u`.
    LowU,
    Utf8,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    Literal,
}

/// Hexadecimal digits still to come, the value so far, and whether a high surrogate came before.
#[derive(Debug, Clone, Copy, Default)]
struct UnicodeEscape {
    left: u8,
    value: u16,
    low: bool,
}

/// How many bytes follow, and what the next one may be.
#[derive(Debug, Clone, Copy, Default)]
struct Character {
    left: u8,
    from: u8,
    to: u8,
}

/// A reason and a position in the chunk.
type Refusal = (&'static str, usize);

impl Default for JsonChecker {
    fn default() -> Self {
        Self {
            state: State::Start,
            containers: 0,
            depth: 0,
            key: false,
            escape: UnicodeEscape::default(),
            character: Character::default(),
            literal: b"",
            failed: None,
            consumed: 0,
        }
    }
}

impl JsonChecker {
    /// Checks the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), SyntaxError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.run(chunk) {
            Ok(()) => {
                self.consumed = self.consumed.saturating_add(length(chunk.len()));
                Ok(())
            }
            Err((reason, position)) => {
                let error = SyntaxError { reason, offset: self.consumed.saturating_add(length(position)) };
                self.failed = Some(error);
                Err(error)
            }
        }
    }

    /// Whether what was fed is one whole JSON text.
    pub fn finish(&self) -> Result<(), SyntaxError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let reason = match self.state {
            State::Done => return Ok(()),
            State::Zero | State::Integer | State::Fraction | State::ExponentDigits if self.depth == 0 => return Ok(()),
            State::Start => "the body is empty; a JSON value is required",
            State::Text | State::Escape | State::Hex | State::LowBackslash | State::LowU => {
                "unexpected end inside a string"
            }
            State::Utf8 => "unexpected end inside a UTF-8 character",
            State::Minus | State::Point | State::Exponent | State::ExponentSign => "unexpected end inside a number",
            State::Literal => "unexpected end inside a literal",
            _ => "unexpected end of the JSON text",
        };
        Err(SyntaxError { reason, offset: self.consumed })
    }

    /// The state machine. Each step takes the byte at `at`, or as many as a run of its kind has, and says what follows.
    fn run(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        let mut at = 0;
        let mut state = self.state;
        while let Some(&byte) = chunk.get(at) {
            (state, at) = match state {
                State::Text => {
                    at = plain_text_end(chunk, at);
                    match chunk.get(at) {
                        None => break,
                        Some(b'"') => self.text_end(chunk, at + 1),
                        Some(b'\\') => (State::Escape, at + 1),
                        Some(&lead) if lead >= 0x80 => self.character_start(lead, chunk, at)?,
                        Some(_) => return Err(("a control character in a string must be escaped", at)),
                    }
                }
                State::CommaOrEnd => match byte {
                    b',' => self.after_comma(chunk, at + 1),
                    b'}' if self.in_object() => self.close(chunk, at + 1),
                    b']' if !self.in_object() => self.close(chunk, at + 1),
                    b' ' | b'\n' | b'\r' | b'\t' => (state, white_space_end(chunk, at + 1)),
                    _ if self.in_object() => return Err(("expected `,` or `}`", at)),
                    _ => return Err(("expected `,` or `]`", at)),
                },
                State::Key | State::KeyOrEnd => self.key_start(state, byte, chunk, at)?,
                State::Colon => colon(byte, chunk, at)?,
                State::Value | State::ValueOrEnd | State::Start => self.value_start(state, byte, chunk, at)?,
                State::Integer => {
                    at = digits_end(chunk, at);
                    match chunk.get(at) {
                        None => break,
                        Some(b'.') => (State::Point, at + 1),
                        Some(b'e' | b'E') => (State::Exponent, at + 1),
                        Some(_) => self.value_end(chunk, at),
                    }
                }
                State::Fraction => {
                    at = digits_end(chunk, at);
                    match chunk.get(at) {
                        None => break,
                        Some(b'e' | b'E') => (State::Exponent, at + 1),
                        Some(_) => self.value_end(chunk, at),
                    }
                }
                State::Zero => match byte {
                    b'.' => (State::Point, at + 1),
                    b'e' | b'E' => (State::Exponent, at + 1),
                    b'0'..=b'9' => return Err(("a number must not begin with a zero", at)),
                    _ => self.value_end(chunk, at),
                },
                State::ExponentDigits => {
                    at = digits_end(chunk, at);
                    if at == chunk.len() {
                        break;
                    }
                    self.value_end(chunk, at)
                }
                State::Done => match byte {
                    b' ' | b'\n' | b'\r' | b'\t' => (state, white_space_end(chunk, at + 1)),
                    _ => return Err(("only one JSON value is allowed", at)),
                },
                State::Escape
                | State::Hex
                | State::LowBackslash
                | State::LowU
                | State::Utf8
                | State::Minus
                | State::Point
                | State::Exponent
                | State::ExponentSign
                | State::Literal => (self.single_byte(state, byte).map_err(|reason| (reason, at))?, at + 1),
            };
        }
        self.state = state;
        Ok(())
    }

    #[inline]
    fn key_start(&mut self, state: State, byte: u8, chunk: &[u8], at: usize) -> Result<(State, usize), Refusal> {
        match byte {
            b'"' => {
                self.key = true;
                Ok((State::Text, at + 1))
            }
            b'}' if state == State::KeyOrEnd => Ok(self.close(chunk, at + 1)),
            b' ' | b'\n' | b'\r' | b'\t' => Ok((state, white_space_end(chunk, at + 1))),
            _ if state == State::KeyOrEnd => Err(("expected a key or `}`", at)),
            _ => Err(("expected a key", at)),
        }
    }

    #[inline]
    fn value_start(&mut self, state: State, byte: u8, chunk: &[u8], at: usize) -> Result<(State, usize), Refusal> {
        let next = match byte {
            b'"' => {
                self.key = false;
                State::Text
            }
            b'1'..=b'9' => State::Integer,
            b'-' => State::Minus,
            b'0' => State::Zero,
            b'{' => {
                self.open(1, at)?;
                if chunk.get(at + 1) == Some(&b'"') {
                    self.key = true;
                    return Ok((State::Text, at + 2));
                }
                State::KeyOrEnd
            }
            b'[' => {
                self.open(0, at)?;
                State::ValueOrEnd
            }
            b't' => self.literal_start(b"rue"),
            b'f' => self.literal_start(b"alse"),
            b'n' => self.literal_start(b"ull"),
            b']' if state == State::ValueOrEnd => return Ok(self.close(chunk, at + 1)),
            b' ' | b'\n' | b'\r' | b'\t' => return Ok((state, white_space_end(chunk, at + 1))),
            0xEF if state == State::Start && self.consumed == 0 && at == 0 => {
                return Err(("a byte order mark is not allowed", at));
            }
            _ => return Err(("expected a JSON value", at)),
        };
        Ok((next, at + 1))
    }

    fn literal_start(&mut self, rest: &'static [u8]) -> State {
        self.literal = rest;
        State::Literal
    }

    const fn in_object(&self) -> bool {
        self.containers & 1 == 1
    }

    fn open(&mut self, kind: u128, at: usize) -> Result<(), Refusal> {
        if self.depth == DEPTH_MAX {
            return Err(("nested deeper than 128 levels", at));
        }
        self.depth += 1;
        self.containers = (self.containers << 1) | kind;
        Ok(())
    }

    fn close(&mut self, chunk: &[u8], at: usize) -> (State, usize) {
        debug_assert!(self.depth > 0, "only an open container can be closed");
        self.depth = self.depth.saturating_sub(1);
        self.containers >>= 1;
        self.value_end(chunk, at)
    }

    /// After a string. What usually follows is taken at once: the separator, and the quote after it.
    #[inline]
    fn text_end(&mut self, chunk: &[u8], at: usize) -> (State, usize) {
        if !self.key {
            return self.value_end(chunk, at);
        }
        match chunk.get(at) {
            Some(b':') => match chunk.get(at + 1) {
                Some(b'"') => {
                    self.key = false;
                    (State::Text, at + 2)
                }
                _ => (State::Value, at + 1),
            },
            _ => (State::Colon, at),
        }
    }

    #[inline]
    fn value_end(&mut self, chunk: &[u8], at: usize) -> (State, usize) {
        if self.depth == 0 {
            (State::Done, at)
        } else if chunk.get(at) == Some(&b',') {
            self.after_comma(chunk, at + 1)
        } else {
            (State::CommaOrEnd, at)
        }
    }

    #[inline]
    fn after_comma(&mut self, chunk: &[u8], at: usize) -> (State, usize) {
        if !self.in_object() {
            (State::Value, at)
        } else if chunk.get(at) == Some(&b'"') {
            self.key = true;
            (State::Text, at + 1)
        } else {
            (State::Key, at)
        }
    }

    /// A character of several bytes: at once when all of it is there, byte by byte when it is cut.
    fn character_start(&mut self, lead: u8, chunk: &[u8], at: usize) -> Result<(State, usize), Refusal> {
        let character = character(lead).ok_or(("invalid UTF-8", at))?;
        if let (1, Some(second)) = (character.left, chunk.get(at + 1))
            && (character.from..=character.to).contains(second)
        {
            return Ok((State::Text, at + 2));
        }
        if let (2, Some(second), Some(0x80..=0xBF)) = (character.left, chunk.get(at + 1), chunk.get(at + 2))
            && (character.from..=character.to).contains(second)
        {
            return Ok((State::Text, at + 3));
        }
        self.character = character;
        Ok((State::Utf8, at + 1))
    }

    /// The states that take one byte at a time.
    fn single_byte(&mut self, state: State, byte: u8) -> Result<State, &'static str> {
        Ok(match state {
            State::Escape => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => State::Text,
                b'u' => {
                    self.escape = UnicodeEscape { left: 4, value: 0, low: false };
                    State::Hex
                }
                _ => return Err("unknown escape in a string"),
            },
            State::Hex => return self.hex_digit(byte),
            State::LowBackslash if byte == b'\\' => State::LowU,
            State::LowU if byte == b'u' => {
                self.escape = UnicodeEscape { left: 4, value: 0, low: true };
                State::Hex
            }
            State::LowBackslash | State::LowU => return Err("lone surrogate in a string"),
            State::Utf8 => {
                let Character { left, from, to } = self.character;
                if !(from..=to).contains(&byte) {
                    return Err("invalid UTF-8");
                }
                self.character = Character { left: left.saturating_sub(1), from: 0x80, to: 0xBF };
                if left <= 1 { State::Text } else { State::Utf8 }
            }
            State::Minus => match byte {
                b'0' => State::Zero,
                b'1'..=b'9' => State::Integer,
                _ => return Err("expected a digit after `-`"),
            },
            State::Point if byte.is_ascii_digit() => State::Fraction,
            State::Point => return Err("expected a digit after the decimal point"),
            State::Exponent if byte == b'+' || byte == b'-' => State::ExponentSign,
            State::Exponent | State::ExponentSign if byte.is_ascii_digit() => State::ExponentDigits,
            State::Exponent | State::ExponentSign => return Err("expected a digit in the exponent"),
            _ => match self.literal {
                [expected, rest @ ..] if *expected == byte => {
                    self.literal = rest;
                    if rest.is_empty() { self.value_end(&[], 0).0 } else { State::Literal }
                }
                _ => return Err("expected `true`, `false` or `null`"),
            },
        })
    }

    fn hex_digit(&mut self, byte: u8) -> Result<State, &'static str> {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => return Err("expected four hexadecimal digits after `\\u`"),
        };
        let UnicodeEscape { left, value, low } = self.escape;
        let value = (value << 4) | u16::from(digit);
        if left > 1 {
            self.escape = UnicodeEscape { left: left - 1, value, low };
            return Ok(State::Hex);
        }
        match (low, value) {
            (false, 0xD800..=0xDBFF) => Ok(State::LowBackslash),
            (false, 0xDC00..=0xDFFF) => Err("lone surrogate in a string"),
            (true, 0xDC00..=0xDFFF) | (false, _) => Ok(State::Text),
            (true, _) => Err("lone surrogate in a string"),
        }
    }
}

/// What may follow the first byte of a character of several bytes (Unicode 3.9, table 3-7).
const fn character(lead: u8) -> Option<Character> {
    let (left, from, to) = match lead {
        0xC2..=0xDF => (1, 0x80, 0xBF),
        0xE0 => (2, 0xA0, 0xBF),
        0xE1..=0xEC | 0xEE..=0xEF => (2, 0x80, 0xBF),
        0xED => (2, 0x80, 0x9F),
        0xF0 => (3, 0x90, 0xBF),
        0xF1..=0xF3 => (3, 0x80, 0xBF),
        0xF4 => (3, 0x80, 0x8F),
        _ => return None,
    };
    Some(Character { left, from, to })
}

/// The first byte at or after `from` that ends a run of plain string bytes: quote, backslash, control or not ASCII.
fn plain_text_end(chunk: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = from;
    // Eight bytes at a time: each test sets the top bit of the bytes that match. A borrow can only mark a byte above
    // a real match, and only the lowest mark is used.
    while let Some(block) = chunk.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*block);
        let quote = word ^ (ONES * 0x22);
        let backslash = word ^ (ONES * 0x5C);
        let marks = (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash)
            | (word.wrapping_sub(ONES * 0x20) & !word)
            | word;
        let marks = marks & HIGH;
        if marks != 0 {
            return at + usize::try_from(marks.trailing_zeros() / 8).unwrap_or_default();
        }
        at += 8;
    }
    while let Some(&byte) = chunk.get(at) {
        if byte == b'"' || byte == b'\\' || !(0x20..0x80).contains(&byte) {
            break;
        }
        at += 1;
    }
    at
}

#[inline]
fn colon(byte: u8, chunk: &[u8], at: usize) -> Result<(State, usize), Refusal> {
    match byte {
        b':' => Ok((State::Value, at + 1)),
        b' ' | b'\n' | b'\r' | b'\t' => Ok((State::Colon, white_space_end(chunk, at + 1))),
        _ => Err(("expected `:`", at)),
    }
}

fn white_space_end(chunk: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = chunk.get(at) {
        at += 1;
    }
    at
}

fn digits_end(chunk: &[u8], from: usize) -> usize {
    let mut at = from;
    while chunk.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// A length as a position; `usize` always fits on the platforms the service runs on.
fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "json_syntax_tests.rs"]
mod tests;
