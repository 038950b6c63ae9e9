//! The document line by line: what is short stays on its line, everything else gets a line for each entry, so that a
//! change of the API is read as a change of lines.

/// The most characters of a line that is not one long text.
const WIDTH: usize = 120;
const INDENT: usize = 1;

/// Prints compact JSON over lines.
pub(super) fn print(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let mut printer = Printer { column: 0, closers: Vec::new() };
    let mut rest = compact;
    while let Some(token) = next_token(rest) {
        let (_, after) = rest.split_at(token.len());
        printer.write(&mut out, token, after);
        rest = after;
    }
    out.push('\n');
    out
}

struct Printer {
    column: usize,
    /// For each container that is open, whether its entries have lines of their own.
    closers: Vec<bool>,
}

impl Printer {
    fn write(&mut self, out: &mut String, token: &str, after: &str) {
        match token {
            "{" | "[" => {
                // Inside a container on one line, everything is on that line.
                let is_inline = self.closers.last() == Some(&false);
                let has_lines = !is_inline && !fits(after, WIDTH.saturating_sub(self.column + 1));
                self.text(out, token);
                self.closers.push(has_lines);
                if has_lines {
                    self.line(out);
                }
            }
            "}" | "]" => {
                if self.closers.pop() == Some(true) {
                    self.line(out);
                }
                self.text(out, token);
            }
            "," if self.closers.last() == Some(&true) => {
                self.text(out, token);
                self.line(out);
            }
            "," | ":" => {
                self.text(out, token);
                self.text(out, " ");
            }
            _ => self.text(out, token),
        }
    }

    fn text(&mut self, out: &mut String, text: &str) {
        out.push_str(text);
        self.column += text.chars().count();
    }

    fn line(&mut self, out: &mut String) {
        self.column = INDENT * self.closers.iter().filter(|has_lines| **has_lines).count();
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', self.column));
    }
}

/// Whether what is left of a container, and the comma after it, is at most this wide on one line.
fn fits(mut rest: &str, width: usize) -> bool {
    let (mut depth, mut used) = (1_usize, 1_usize);
    while let Some(token) = next_token(rest) {
        used += token.len() + usize::from(matches!(token, "," | ":"));
        match token {
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 || used > width {
            break;
        }
        rest = rest.split_at(token.len()).1;
    }
    depth == 0 && used <= width
}

/// A bracket, a comma, a colon, or a value that holds no others.
fn next_token(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let length = match first {
        '"' => string_length(text),
        '{' | '}' | '[' | ']' | ',' | ':' => 1,
        _ => text.find(['}', ']', ',', ':']).unwrap_or(text.len()),
    };
    text.get(..length)
}

/// The length of the string in quotes a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{WIDTH, print};

    #[test]
    fn short_values_stay_on_their_line_and_long_ones_get_lines() {
        assert_eq!(print(r#"{"a":[1,{"b":null}],"c":"x,y\"}"}"#), "{\"a\": [1, {\"b\": null}], \"c\": \"x,y\\\"}\"}\n");
        let long = "é".repeat(WIDTH);
        let printed = print(&json!({ "a": [], "b": long, "c": { "d": 1.50 } }).to_string());
        assert_eq!(printed, format!("{{\n \"a\": [],\n \"b\": \"{long}\",\n \"c\": {{\"d\": 1.5}}\n}}\n"));
    }

    #[test]
    fn what_is_printed_reads_as_the_same_value() {
        let nested =
            json!([[{ "text": "{[,:]}\\", "long": "x".repeat(200), "more": [true, false, -1.5e10, [], {}] }], "é"]);
        assert_eq!(serde_json::from_str::<Value>(&print(&nested.to_string())).unwrap(), nested);
    }
}
