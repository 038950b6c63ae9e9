//! The history of the books: an entry for every change, written with it and never altered.
//!
//! Entries of an organisation are counted under the lock of its books, so that nobody who has read one ever misses an
//! earlier one, whichever process wrote it.

use super::decide::Desk;
use super::effects::Effects;
use super::entry_rows::ChangeEntry;
use super::post::Poster;
use crate::domain::calendar::day_text;
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::decimal::Percent;
use crate::domain::ledger::money::Pence;
use crate::store::OrganisationRow;

/// Longer texts of a record are cut in its history.
const TEXT_CHARS_MAX: usize = 200;
/// Longer summaries are cut.
const SUMMARY_CHARS_MAX: usize = 300;
/// The way changes come; the tool server and the web interface will name others.
pub(super) const VIA: &str = "api";

/// What the history tells of a record: some of its fields by name, as answers print them.
#[derive(Debug, Clone, Default)]
pub(super) struct Told(Vec<(&'static str, String)>);

const NULL: &str = "null";

impl Told {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn with(mut self, name: &'static str, json: String) -> Self {
        self.0.push((name, json));
        self
    }

    pub(super) fn text<'t>(self, name: &'static str, text: impl Into<Option<&'t str>>) -> Self {
        // Text always prints.
        let json = text.into().map(|text| serde_json::to_string(cut(text, TEXT_CHARS_MAX)).unwrap_or_default());
        self.with(name, json.unwrap_or_else(|| NULL.to_owned()))
    }

    pub(super) fn number(self, name: &'static str, number: impl Into<Option<i64>>) -> Self {
        self.with(name, number.into().map_or_else(|| NULL.to_owned(), |number| number.to_string()))
    }

    /// A percentage, kept in hundredths of a percent.
    pub(super) fn percent(self, name: &'static str, hundredths: Option<i64>) -> Self {
        self.with(name, hundredths.map_or_else(|| NULL.to_owned(), |rate| Percent(rate).to_string()))
    }

    pub(super) fn money(self, name: &'static str, pence: i64) -> Self {
        self.with(name, Pence(pence).to_string())
    }

    pub(super) fn day(self, name: &'static str, day: impl Into<Option<i32>>) -> Self {
        let text = day.into().map(day_text);
        self.text(name, text.as_deref())
    }

    pub(super) fn flag(self, name: &'static str, flag: bool) -> Self {
        self.with(name, flag.to_string())
    }

    /// As a JSON object, without the fields that are not wanted.
    fn print(&self, is_wanted: impl Fn(&(&'static str, String)) -> bool) -> String {
        let mut json = String::from("{");
        for field in self.0.iter().filter(|field| is_wanted(field)) {
            if json.len() > 1 {
                json.push(',');
            }
            json.push('"');
            json.push_str(field.0);
            json.push_str("\":");
            json.push_str(&field.1);
        }
        json.push('}');
        json
    }
}

/// What was before and after: all that is said of what came or went, and of what stayed only what is otherwise.
fn printed(before: Option<&Told>, after: Option<&Told>) -> (Option<String>, Option<String>) {
    let said = |told: &Told| told.print(|(_, json)| json != NULL);
    match (before, after) {
        (Some(before), Some(after)) => {
            (Some(before.print(|field| !after.0.contains(field))), Some(after.print(|field| !before.0.contains(field))))
        }
        (before, after) => (before.map(said), after.map(said)),
    }
}

fn cut(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// What a change is told with.
pub(super) struct Note {
    /// How it was changed.
    pub(super) action: ChangeAction,
    /// What kind of record.
    pub(super) resource: Resource,
    /// Which.
    pub(super) id: i64,
    /// A sentence for people.
    pub(super) summary: String,
    /// None when it was made.
    pub(super) before: Option<Told>,
    /// None when it is gone.
    pub(super) after: Option<Told>,
}

impl Desk<'_> {
    /// Notes a change for the history, to be called by every decision once nothing can refuse it any more. Journals
    /// need no note: [`Desk::write_journal`] and [`Desk::note_voided`] see to them.
    pub(super) fn note_change(
        &mut self,
        action: ChangeAction,
        (resource, id): (Resource, i64),
        summary: impl Into<String>,
        before: Option<Told>,
        after: Option<Told>,
    ) {
        let note = Note { action, resource, id, summary: summary.into(), before, after };
        let place = (self.organisation(), self.books.next_change);
        self.books.next_change += 1;
        let entry = entry(place, self.poster, self.now_ms, &note);
        self.effects.change(&entry);
    }

    /// Notes that a journal is void: in its rows, in the counts and in the history.
    pub(super) fn note_voided(&mut self, journal: &super::JournalView, reversal: i64, reason: Option<&str>) {
        let organisation = self.organisation();
        self.effects.reversal(organisation, journal.id, journal.entry_day, reversal, reason);
        // The reversal stands, the original does not.
        self.effects.count(organisation, "journal", "void", 1);
        let before = Told::new().text("status", "posted").number("reversed_by_journal_id", None).text("reason", None);
        let after =
            Told::new().text("status", "void").number("reversed_by_journal_id", reversal).text("reason", reason);
        let summary = format!("Journal {} voided", journal.number);
        self.note_change(ChangeAction::Void, (Resource::Journal, journal.id), summary, Some(before), Some(after));
        if let Some(kept) = self.facts.journals.get_mut(&journal.id) {
            kept.view.reversed_by = Some(reversal);
        }
    }
}

/// The first entry of any history; the accounts of the standard chart came with the organisation.
pub(super) fn note_organisation_made(effects: &mut Effects, row: &OrganisationRow, poster: &Poster, at_ms: i64) {
    let summary = format!("Organisation {} made", row.name);
    let after = Some(row.told());
    let note = Note {
        action: ChangeAction::Create,
        resource: Resource::Organisation,
        id: row.id.0,
        summary,
        before: None,
        after,
    };
    effects.change(&entry((row.id.0, 1), poster, at_ms, &note));
}

/// The entry of an organisation's history at this place.
fn entry<'a>((organisation, cursor): (i64, i64), poster: &'a Poster, at_ms: i64, note: &'a Note) -> ChangeEntry<'a> {
    let (before, after) = printed(note.before.as_ref(), note.after.as_ref());
    ChangeEntry {
        organisation,
        cursor,
        at_ms,
        user_id: poster.user_id.0,
        key_prefix: poster.key_prefix.as_deref(),
        action: note.action.as_str(),
        resource: note.resource.as_str(),
        id: note.id,
        summary: cut(&note.summary, SUMMARY_CHARS_MAX),
        before,
        after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stayed_is_told_by_its_differences() {
        let told = |name: &str, code: Option<&str>| Told::new().text("name", name).text("code", code).money("due", 50);
        let (before, after) = printed(Some(&told("Ann", None)), Some(&told("Anna", Some("\"7\""))));
        assert_eq!(before.as_deref(), Some(r#"{"name":"Ann","code":null}"#));
        assert_eq!(after.as_deref(), Some(r#"{"name":"Anna","code":"\"7\""}"#));
        let (before, after) = printed(None, Some(&told("Ann", None)));
        assert_eq!((before, after.as_deref()), (None, Some(r#"{"name":"Ann","due":0.50}"#)));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = "ä".repeat(500);
        let printed = Told::new().text("notes", long.as_str()).print(|_| true);
        assert_eq!(printed.chars().filter(|character| *character == 'ä').count(), TEXT_CHARS_MAX);
    }
}
