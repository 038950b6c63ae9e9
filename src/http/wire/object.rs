//! Strict reading of a JSON object: only the keys that are allowed, each once, every problem at once, no tree of values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::domain::problem::{Issues, PROBLEMS_LISTED_MAX};

/// The fields of an object that are allowed, in document order, as raw JSON.
pub struct Object<'a> {
    fields: Vec<(&'static str, &'a RawValue)>,
    /// Every key as it was given, allowed or not.
    keys: Vec<String>,
}

impl<'a> Object<'a> {
    /// Reads a body that must be an object with these keys only. Problems go to `issues`; `None` when it is no object.
    pub fn read(body: &'a [u8], allowed: &[&'static str], issues: &mut Issues) -> Option<Self> {
        let text = std::str::from_utf8(body).ok();
        let mut reader = serde_json::Deserializer::from_str(text.unwrap_or_default());
        let fields = reader.deserialize_map(ObjectVisitor { allowed, issues }).ok();
        if fields.is_none() {
            issues.section("body", "must be a JSON object");
        }
        fields.map(|(fields, keys)| Self { fields, keys })
    }

    /// Puts problems, found field by field, into the order of the document; what is missing comes last.
    pub fn order(&self, issues: &mut Issues) {
        issues.listed.sort_by_key(|issue| {
            let name = if issue.section == "body" { issue.field.as_deref() } else { Some(issue.section.as_str()) };
            self.keys.iter().position(|key| Some(key.as_str()) == name).unwrap_or(usize::MAX)
        });
    }

    /// The raw JSON of a field.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, raw)| *raw)
    }

    /// The same where `null` means that the field is absent.
    pub fn get_nullable(&self, name: &str) -> Option<&'a RawValue> {
        self.get(name).filter(|raw| raw.get() != "null")
    }

    /// Text of a number of characters (Unicode scalar values) without NUL.
    pub fn text(
        &self,
        name: &'static str,
        length: std::ops::RangeInclusive<usize>,
        issues: &mut Issues,
    ) -> Option<String> {
        let rule = || format!("must be a string of {} to {} characters", length.start(), length.end());
        match serde_json::from_str::<Cow<'_, str>>(self.get(name)?.get()) {
            Ok(text) if text.contains('\0') => issues.field("body", name, "must not contain the character U+0000"),
            Ok(text) if length.contains(&text.chars().count()) => return Some(text.into_owned()),
            _ => issues.field("body", name, rule()),
        }
        None
    }

    /// The same, required.
    pub fn required_text(
        &self,
        name: &'static str,
        length: std::ops::RangeInclusive<usize>,
        issues: &mut Issues,
    ) -> Option<String> {
        if self.get(name).is_none() {
            issues.field(
                "body",
                name,
                format!("is required: a string of {} to {} characters", length.start(), length.end()),
            );
            return None;
        }
        self.text(name, length, issues)
    }

    /// `true` or `false`.
    pub fn boolean(&self, name: &'static str, issues: &mut Issues) -> Option<bool> {
        let read = serde_json::from_str::<bool>(self.get(name)?.get()).ok();
        if read.is_none() {
            issues.field("body", name, "must be true or false");
        }
        read
    }

    /// An array as raw items, of which at most `most` are returned; also how many there are. `None` when it is no array.
    pub fn items(&self, name: &str, most: usize) -> Option<(Vec<&'a RawValue>, usize)> {
        let mut reader = serde_json::Deserializer::from_str(self.get(name)?.get());
        reader.deserialize_seq(ItemsVisitor { most }).ok()
    }
}

struct ObjectVisitor<'i> {
    allowed: &'i [&'static str],
    issues: &'i mut Issues,
}

impl<'de> Visitor<'de> for ObjectVisitor<'_> {
    type Value = (Vec<(&'static str, &'de RawValue)>, Vec<String>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut fields, mut keys): Self::Value = (Vec::new(), Vec::new());
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let Some(known) = self.allowed.iter().find(|name| **name == key) else {
                map.next_value::<IgnoredAny>().map_err(A::Error::custom)?;
                let shown: String = key.chars().take(60).collect();
                self.issues.field("body", &shown, format!("is not allowed here; allowed: {}", self.allowed.join(", ")));
                // The order of keys matters only for the problems that are listed.
                if keys.len() <= PROBLEMS_LISTED_MAX {
                    keys.push(shown);
                }
                continue;
            };
            let value = map.next_value::<&'de RawValue>()?;
            if fields.iter().any(|(name, _)| name == known) {
                self.issues.field("body", known, "must be given once");
            } else {
                fields.push((known, value));
                keys.push((*known).to_owned());
            }
        }
        Ok((fields, keys))
    }
}

struct ItemsVisitor {
    most: usize,
}

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = (Vec<&'de RawValue>, usize);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let (mut items, mut count) = (Vec::new(), 0);
        while let Some(item) = sequence.next_element::<&'de RawValue>()? {
            count += 1;
            if items.len() < self.most {
                items.push(item);
            }
        }
        Ok((items, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_found_at_once_in_document_order() {
        let mut issues = Issues::default();
        let body = br#"{"odd":[1,{"x":2}],"name":"","flag":1,"name":"b","list":[1,"2",null]}"#;
        let object = Object::read(body, &["name", "flag", "list"], &mut issues).expect("an object");
        assert_eq!(object.text("name", 1..=3, &mut issues), None);
        assert_eq!(object.boolean("flag", &mut issues), None);
        assert_eq!(object.required_text("absent", 1..=2, &mut issues), None);
        let (items, count) = object.items("list", 2).expect("an array");
        assert_eq!((items.iter().map(|item| item.get()).collect::<Vec<_>>(), count), (vec!["1", "\"2\""], 3));
        let fields: Vec<_> = issues.listed.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(fields, ["odd", "name", "name", "flag", "absent"]);
        issues.listed.reverse();
        object.order(&mut issues);
        let fields: Vec<_> = issues.listed.iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(fields, ["odd", "name", "name", "flag", "absent"]);
        assert!(Object::read(b"[]", &[], &mut issues).is_none());
    }
}
