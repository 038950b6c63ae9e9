//! The checker against `serde_json` and against every cut of a document.

use proptest::prelude::*;

use super::*;

fn check(bytes: &[u8]) -> Result<(), SyntaxError> {
    let mut checker = JsonChecker::default();
    checker.feed(bytes)?;
    checker.finish()
}

fn check_in_pieces(bytes: &[u8], sizes: &[usize]) -> Result<(), SyntaxError> {
    let mut checker = JsonChecker::default();
    let mut rest = bytes;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((*sizes.next().unwrap_or(&1)).clamp(1, rest.len()));
        checker.feed(piece)?;
        rest = after;
    }
    checker.finish()
}

/// What the checker must say, by a parser of other people: `RawValue` checks the whole grammar without building
/// numbers (so `1e999` is fine), `String` keys and values refuse lone surrogates.
fn oracle(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut reader = serde_json::Deserializer::from_str(text);
    let strict = Strict::deserialize_from(&mut reader);
    strict && reader.end().is_ok()
}

struct Strict;

impl Strict {
    fn deserialize_from(reader: &mut serde_json::Deserializer<serde_json::de::StrRead<'_>>) -> bool {
        use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
        struct Any;
        impl<'de> DeserializeSeed<'de> for Any {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_any(self)
            }
        }
        impl<'de> Visitor<'de> for Any {
            type Value = ();
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("anything")
            }
            fn visit_bool<E>(self, _: bool) -> Result<(), E> {
                Ok(())
            }
            fn visit_i64<E>(self, _: i64) -> Result<(), E> {
                Ok(())
            }
            fn visit_u64<E>(self, _: u64) -> Result<(), E> {
                Ok(())
            }
            fn visit_f64<E>(self, _: f64) -> Result<(), E> {
                Ok(())
            }
            fn visit_str<E>(self, _: &str) -> Result<(), E> {
                Ok(())
            }
            fn visit_unit<E>(self) -> Result<(), E> {
                Ok(())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
                while items.next_element_seed(Any)?.is_some() {}
                Ok(())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
                while entries.next_key_seed(Any)?.is_some() {
                    entries.next_value_seed(Any)?;
                }
                Ok(())
            }
        }
        match Any.deserialize(reader) {
            Ok(()) => true,
            // The grammar allows numbers no float can hold.
            Err(error) => error.to_string().starts_with("number out of range"),
        }
    }
}

/// Whether the oracle can be believed: it stops at a number out of range, so nothing after it was read.
fn decidable(bytes: &[u8]) -> bool {
    !bytes.windows(2).any(|pair| matches!(pair, [b'0'..=b'9', b'e' | b'E']))
        && bytes.split(|byte| !byte.is_ascii_digit()).all(|digits| digits.len() < 300)
}

#[test]
fn well_formed_texts_are_accepted() {
    for text in [
        "0",
        "-0",
        "-0.0e-0",
        "1e999",
        "123.456E+7",
        "true",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        " [ ] ",
        "\t\r\n{ }\n",
        r#"{"a":[1,2,{"b":null}],"a":"dup"}"#,
        r#""\ud83d\ude00 \u0000 \" \\ \/ \b\f\n\r\t""#,
        "\"é€😀\u{10FFFF}\u{7f}\"",
        r#"[[],[[]],{},{"":{}}]"#,
        r#"[1 , 2]"#,
        "[-1.5e-3,0.1,10,0]",
    ] {
        assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
        for size in 1..5 {
            assert_eq!(check_in_pieces(text.as_bytes(), &[size]), Ok(()), "{text} in pieces of {size}");
        }
    }
}

#[test]
fn malformed_texts_are_refused_with_the_byte() {
    for (bytes, reason, offset) in [
        (&b""[..], "empty", 0),
        (b"   ", "empty", 3),
        (b"\xEF\xBB\xBF{}", "byte order mark", 0),
        (b"{} {}", "only one", 3),
        (b"01", "begin with a zero", 1),
        (b"-", "inside a number", 1),
        (b"-x", "after `-`", 1),
        (b"1.", "inside a number", 2),
        (b"1.x", "decimal point", 2),
        (b"1e+", "inside a number", 3),
        (b"[1,]", "expected a JSON value", 3),
        (b"[,1]", "expected a JSON value", 1),
        (b"{\"a\":1,}", "expected a key", 7),
        (b"{a:1}", "expected a key or `}`", 1),
        (b"{\"a\" 1}", "expected `:`", 5),
        (b"[1 2]", "`,` or `]`", 3),
        (b"{\"a\":1]", "`,` or `}`", 6),
        (b"[1}", "`,` or `]`", 2),
        (b"]", "expected a JSON value", 0),
        (b"tru", "inside a literal", 3),
        (b"trux", "expected `true`", 3),
        (b"NaN", "expected a JSON value", 0),
        (b"nul]", "expected `true`", 3),
        (b"\"abc", "inside a string", 4),
        (b"\"a\nb\"", "control character", 2),
        (b"\"\\x\"", "unknown escape", 2),
        (b"\"\\u12g4\"", "hexadecimal", 5),
        (b"\"\\ud800\"", "lone surrogate", 7),
        (b"\"\\ud800\\n\"", "lone surrogate", 8),
        (b"\"\\ud800\\u0041\"", "lone surrogate", 12),
        (b"\"\\udc00\"", "lone surrogate", 6),
        (b"\"\xff\"", "invalid UTF-8", 1),
        (b"\"\xc0\x80\"", "invalid UTF-8", 1),
        (b"\"\xed\xa0\x80\"", "invalid UTF-8", 2),
        (b"\"\xf4\x90\x80\x80\"", "invalid UTF-8", 2),
        (b"\"\xe2\x82\"", "invalid UTF-8", 3),
        (b"\"\xe2\x82", "inside a UTF-8", 3),
        (b"'a'", "expected a JSON value", 0),
        (b"[1", "unexpected end", 2),
        (b"// x\n1", "expected a JSON value", 0),
        (b"\x001", "expected a JSON value", 0),
        (b"1\x0c", "only one", 1),
    ] {
        for pieces in [vec![usize::MAX], vec![1], vec![2, 3]] {
            let error = check_in_pieces(bytes, &pieces).expect_err(&format!("{:?}", String::from_utf8_lossy(bytes)));
            assert!(error.reason.contains(reason), "{:?}: {error}", String::from_utf8_lossy(bytes));
            assert_eq!(error.offset, offset, "{:?}: {error}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn depth_is_limited_to_128() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |levels: usize| {
            let inner = if open == "[" { "" } else { "1" };
            format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
        };
        assert_eq!(check(nested(128).as_bytes()), Ok(()));
        let error = check(nested(129).as_bytes()).expect_err("too deep");
        assert!(error.reason.contains("128"), "{error}");
        assert_eq!(error.offset, u64::try_from(128 * open.len()).expect("small"));
    }
}

#[test]
fn a_failed_checker_stays_failed() {
    let mut checker = JsonChecker::default();
    let error = checker.feed(b"[}").expect_err("malformed");
    assert_eq!(checker.feed(b"[]"), Err(error));
    assert_eq!(checker.finish(), Err(error));
}

#[test]
fn every_short_text_over_a_hostile_alphabet_agrees_with_serde_json() {
    let alphabet: &[&[u8]] =
        &[b"[", b"]", b"{", b"}", b",", b":", b"\"", b"\\", b"0", b"1", b"-", b".", b"e", b" ", b"u", b"\xc3", b"\xa9"];
    let mut checked = 0_u32;
    for length in 0..=4 {
        let mut digits = vec![0_usize; length];
        'texts: loop {
            let bytes: Vec<u8> = digits.iter().flat_map(|digit| alphabet[*digit]).copied().collect();
            if decidable(&bytes) {
                assert_eq!(check(&bytes).is_ok(), oracle(&bytes), "{:?}", String::from_utf8_lossy(&bytes));
                checked += 1;
            }
            for place in 0.. {
                let Some(digit) = digits.get_mut(place) else { break 'texts };
                *digit += 1;
                if *digit < alphabet.len() {
                    break;
                }
                *digit = 0;
            }
        }
    }
    assert!(checked > 50_000, "{checked}");
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(|number| format!("{number}")),
        any::<String>().prop_map(|text| serde_json::to_string(&text).expect("a string")),
        prop::collection::vec(
            prop_oneof![Just("\\ud83d\\ude00"), Just("\\u00e9"), Just("\\\""), Just("x"), Just("é")],
            0..6
        )
        .prop_map(|parts| format!("\"{}\"", parts.concat())),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(" ,"))),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|entries| {
                let entries: Vec<String> = entries
                    .into_iter()
                    .map(|(key, value)| format!("{}: {value}", serde_json::to_string(&key).expect("a string")))
                    .collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_documents_agree_with_serde_json_however_they_are_cut(
        text in json_text(),
        mutations in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..6), 0..4),
        sizes in prop::collection::vec(1_usize..40, 1..8),
    ) {
        let mut bytes = text.into_bytes();
        for (index, value, kind) in mutations {
            if bytes.is_empty() { break }
            let place = index.index(bytes.len());
            match kind {
                0 => { bytes.remove(place); }
                1 => bytes.insert(place, value),
                2 => bytes[place] = value,
                3 => bytes.insert(place, b"[]{},:\"\\0-.eut "[usize::from(value) % 15]),
                4 => { let byte = bytes[place]; bytes.insert(place, byte); }
                _ => bytes.truncate(place),
            }
        }
        let whole = check(&bytes);
        prop_assert_eq!(check_in_pieces(&bytes, &sizes), whole, "cutting must not change the answer");
        if decidable(&bytes) {
            prop_assert_eq!(whole.is_ok(), oracle(&bytes), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn random_bytes_agree_with_serde_json(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if decidable(&bytes) {
            prop_assert_eq!(check(&bytes).is_ok(), oracle(&bytes));
        }
    }
}
