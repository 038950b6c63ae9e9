//! A position in JSON text: what the strict readers of large bodies step through them with. No tree of values is built,
//! strings without escapes are borrowed, and what is skipped keeps its text.

use std::borrow::Cow;

/// The text is not JSON. The HTTP layer has checked that before; this is the second line.
#[derive(Debug)]
pub struct Malformed;

/// A position in JSON text.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// An object or array being read.
pub struct Members {
    close: u8,
    first: bool,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// How many bytes lie behind.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// What was passed since [`Self::at`] was `start`.
    pub fn since(&self, start: usize) -> Result<&'a str, Malformed> {
        self.text.get(start..self.at).ok_or(Malformed)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not white space.
    pub fn peek(&mut self) -> Result<u8, Malformed> {
        loop {
            match self.byte().ok_or(Malformed)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Ok(byte),
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Malformed> {
        if self.peek()? != wanted {
            return Err(Malformed);
        }
        self.at += 1;
        Ok(())
    }

    /// Enters an object or array, by its opening bracket.
    pub fn open(&mut self, bracket: u8) -> Result<Members, Malformed> {
        self.expect(bracket)?;
        Ok(Members { close: if bracket == b'{' { b'}' } else { b']' }, first: true })
    }

    /// Whether there is another item, at which the cursor then stands; leaves the array after the last.
    pub fn next_item(&mut self, members: &mut Members) -> Result<bool, Malformed> {
        let byte = self.peek()?;
        if byte == members.close {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut members.first) {
            self.expect(b',')?;
        }
        Ok(true)
    }

    /// The next key, its value being next; leaves the object after the last.
    pub fn next_key(&mut self, members: &mut Members) -> Result<Option<Cow<'a, str>>, Malformed> {
        if !self.next_item(members)? {
            return Ok(None);
        }
        if self.peek()? != b'"' {
            return Err(Malformed);
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Nothing but white space may follow.
    pub fn end(&mut self) -> Result<(), Malformed> {
        match self.peek() {
            Err(Malformed) => Ok(()),
            Ok(_) => Err(Malformed),
        }
    }

    /// The string that starts at the next quote.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        let (raw, escaped) = self.raw_string()?;
        if !escaped {
            let inner = raw.get(1..raw.len() - 1).ok_or(Malformed)?;
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str::<String>(raw).map(Cow::Owned).map_err(|_| Malformed)
    }

    /// A string with its quotes, and whether it has escapes.
    fn raw_string(&mut self) -> Result<(&'a str, bool), Malformed> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.at..).ok_or(Malformed)?;
            let stop = |byte: &u8| *byte == b'"' || *byte == b'\\';
            self.at += rest.iter().position(stop).ok_or(Malformed)? + 1;
            if self.text.as_bytes().get(self.at - 1) == Some(&b'"') {
                let raw = self.text.get(start..self.at).ok_or(Malformed)?;
                return Ok((raw, escaped));
            }
            escaped = true;
            self.at += 1;
        }
    }

    /// Passes over one value of any kind, however deep, and returns its text.
    pub fn skip(&mut self) -> Result<&'a str, Malformed> {
        self.peek()?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.raw_string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(Malformed)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => self.scalar()?,
            }
            if depth == 0 {
                return self.text.get(start..self.at).ok_or(Malformed);
            }
        }
    }

    /// Passes over a number or a word.
    fn scalar(&mut self) -> Result<(), Malformed> {
        let rest = self.text.as_bytes().get(self.at..).ok_or(Malformed)?;
        let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = rest.iter().take_while(|byte| belongs(byte)).count();
        self.at += length;
        if length == 0 { Err(Malformed) } else { Ok(()) }
    }
}
