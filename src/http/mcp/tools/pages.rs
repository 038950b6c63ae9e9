//! Long records and reports in parts: everything that is no list, and of the lists as many rows as fit into an answer.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::value::RawValue;

use super::{ANSWER_BYTES_MAX, part};
use crate::http::mcp::outcome::Refused;

/// What a summary leaves out: the documents behind a row, and the entries of a VAT return.
const DETAILS: [&str; 2] = ["documents", "entries"];

/// Room for the members of most records.
const MEMBERS_USUAL: usize = 40;

/// The members of an object in their order.
pub(super) struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The value of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(MEMBERS_USUAL);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A value of a page: as it is, or the rows of a list that are on it.
enum Shown<'a> {
    Whole(&'a RawValue),
    Rows(Vec<Row<'a>>),
}

/// A row, as it is or without its details.
enum Row<'a> {
    Whole(&'a RawValue),
    Summary(Members<'a>),
}

/// A part of a report: everything that is no list, and of the lists, taken one after the other, the rows from one on.
pub(super) struct Page<'a>(Vec<(&'a str, Shown<'a>)>);

impl<'a> Page<'a> {
    /// The page that begins with a row; how many rows it has, and how many there are.
    pub(super) fn of(members: Members<'a>, is_full: bool, offset: usize) -> Result<(Self, usize, usize), Refused> {
        let members = members.0.into_iter().filter(|(name, _)| is_full || !DETAILS.contains(name));
        let members: Vec<_> = members.collect();
        let is_list = |value: &RawValue| value.get().starts_with('[');
        let around: usize =
            members.iter().filter(|(_, value)| !is_list(value)).map(|(_, value)| value.get().len()).sum();
        let mut left =
            ANSWER_BYTES_MAX.saturating_sub(around + members.iter().map(|(name, _)| name.len() + 6).sum::<usize>());
        let (mut page, mut shown, mut at, mut is_over) = (Vec::with_capacity(members.len()), 0, 0, false);
        for (name, value) in members {
            if !is_list(value) {
                page.push((name, Shown::Whole(value)));
                continue;
            }
            let rows: Vec<&RawValue> = part(value.get().as_bytes())?;
            let mut on_page = Vec::new();
            for row in rows {
                at += 1;
                if at <= offset || is_over {
                    continue;
                }
                let row = Row::of(row, is_full)?;
                let length = row.length() + 1;
                // A row alone is shown whatever its length.
                is_over = length > left && shown > 0;
                if !is_over {
                    left = left.saturating_sub(length);
                    shown += 1;
                    on_page.push(row);
                }
            }
            page.push((name, Shown::Rows(on_page)));
        }
        Ok((Self(page), shown, at))
    }

    /// Adds a member.
    pub(super) fn push(&mut self, name: &'a str, value: &'a RawValue) {
        self.0.push((name, Shown::Whole(value)));
    }
}

impl<'a> Row<'a> {
    fn of(row: &'a RawValue, is_full: bool) -> Result<Self, Refused> {
        if is_full || !row.get().starts_with('{') {
            return Ok(Self::Whole(row));
        }
        let mut members: Members<'a> = part(row.get().as_bytes())?;
        let before = members.0.len();
        members.0.retain(|(name, _)| !DETAILS.contains(name));
        Ok(if members.0.len() == before { Self::Whole(row) } else { Self::Summary(members) })
    }

    fn length(&self) -> usize {
        match self {
            Self::Whole(row) => row.get().len(),
            Self::Summary(members) => {
                2 + members.0.iter().map(|(name, value)| name.len() + value.get().len() + 4).sum::<usize>()
            }
        }
    }
}

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, shown) in &self.0 {
            map.serialize_entry(name, shown)?;
        }
        map.end()
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(value) => value.serialize(serializer),
            Self::Rows(rows) => {
                let mut list = serializer.serialize_seq(Some(rows.len()))?;
                for row in rows {
                    match row {
                        Row::Whole(row) => list.serialize_element(row)?,
                        Row::Summary(members) => list.serialize_element(members)?,
                    }
                }
                list.end()
            }
        }
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
