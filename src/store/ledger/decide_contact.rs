//! Decides what concerns customers and suppliers.

use super::contacts::{ContactDetails, ContactField, ContactRow, ContactView};
use super::decide::{Desk, Stop, archiving, require_version};
use super::ids::Kind;
use super::post::{Post, Posted};
use super::tallies::Tally;
use crate::domain::ledger::change::ChangeAction;
use crate::domain::ledger::contact::{self, CisRate, ContactKind};
use crate::domain::ledger::ids::{AccountId, ContactId};
use crate::domain::ledger::refusal::Refusal;

impl Desk<'_> {
    pub(super) fn create_contact(&mut self, kind: ContactKind, fields: &[ContactField]) -> Result<Posted, Stop> {
        let details = self.accepted(kind, None, ContactDetails::default().with(fields))?;
        let row = ContactRow {
            id: self.identifiers.next(Kind::Contact),
            kind,
            details,
            used: false,
            archived_at_ms: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        self.effects.count(self.organisation(), kind.as_str(), "active", 1);
        self.put_contact(row.clone());
        let summary = format!("{} made", row.title());
        self.note_change(ChangeAction::Create, (row.resource(), row.id), summary, None, Some(row.told()));
        Ok(self.contact_view(row))
    }

    /// Details as the rules accept them.
    fn accepted(
        &self,
        kind: ContactKind,
        id: Option<i64>,
        mut details: ContactDetails,
    ) -> Result<ContactDetails, Refusal> {
        if let Some(account) = details.default_account_id {
            self.books.books().account(AccountId(account), || "default_account_id".to_owned())?;
        }
        let rate = details.cis.deduction_rate.and_then(CisRate::from_percent);
        details.cis.deduction_rate = contact::cis_rate(details.cis.is_subcontractor, rate)?.map(CisRate::percent);
        if let Some(reference) = &details.reference {
            let taken = self.facts.references.get(&(self.organisation(), kind, reference.clone()));
            contact::require_free_reference(id.map(ContactId), taken.copied().map(ContactId))?;
        }
        Ok(details)
    }

    pub(super) fn put_contact(&mut self, row: ContactRow) {
        let organisation = self.organisation();
        self.facts.references.retain(|_, id| *id != row.id);
        if let Some(reference) = &row.details.reference {
            self.facts.references.insert((organisation, row.kind, reference.clone()), row.id);
        }
        let before = self.facts.contacts.insert(row.id, (organisation, row.clone()));
        self.effects.tally(organisation, before.map(|(_, row)| Tally::from(&row)), Some(Tally::from(&row)));
        self.effects.contact(organisation, row);
    }

    fn contact(&self, post: &Post, kind: ContactKind, id: i64) -> Result<ContactRow, Stop> {
        let found = self.facts.contacts.get(&id);
        let row = found.filter(|(organisation, row)| *organisation == self.organisation() && row.kind == kind);
        let (_, row) = row.ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row.clone())
    }

    fn contact_view(&self, row: ContactRow) -> Posted {
        let owed = self.facts.owed.get(&row.id).copied().unwrap_or_default();
        let (balance_pence, overdue_pence) = (owed.balance_pence(row.kind), owed.overdue_pence(row.kind));
        Posted::Contact(Box::new(ContactView { row, balance_pence, overdue_pence }))
    }

    fn changed_contact(&mut self, action: ChangeAction, row: ContactRow) -> Posted {
        let row = ContactRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.facts.contacts.get(&row.id).map(|(_, before)| before.told());
        self.put_contact(row.clone());
        let summary = format!("{} {}", row.title(), action.done());
        self.note_change(action, (row.resource(), row.id), summary, before, Some(row.told()));
        self.contact_view(row)
    }

    pub(super) fn patch_contact(
        &mut self,
        post: &Post,
        kind: ContactKind,
        id: i64,
        fields: &[ContactField],
    ) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        let details = self.accepted(kind, Some(id), row.details.clone().with(fields))?;
        Ok(self.changed_contact(ChangeAction::Update, ContactRow { details, ..row }))
    }

    pub(super) fn archive_contact(
        &mut self,
        post: &Post,
        kind: ContactKind,
        id: i64,
        archived: bool,
    ) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        if row.archived_at_ms.is_some() == archived {
            return Ok(self.contact_view(row));
        }
        let (to, from) = if archived { ("archived", "active") } else { ("active", "archived") };
        self.effects.count(self.organisation(), kind.as_str(), from, -1);
        self.effects.count(self.organisation(), kind.as_str(), to, 1);
        let archived_at_ms = archived.then_some(self.now_ms);
        Ok(self.changed_contact(archiving(archived), ContactRow { archived_at_ms, ..row }))
    }

    pub(super) fn delete_contact(&mut self, post: &Post, kind: ContactKind, id: i64) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        contact::delete(row.used)?;
        let status = if row.archived_at_ms.is_some() { "archived" } else { "active" };
        self.effects.count(self.organisation(), kind.as_str(), status, -1);
        self.effects.tally(self.books.organisation.id.0, Some(Tally::from(&row)), None);
        self.facts.contacts.remove(&id);
        self.facts.references.retain(|_, holder| *holder != id);
        self.effects.delete_contact(id);
        let summary = format!("{} deleted", row.title());
        self.note_change(ChangeAction::Delete, (row.resource(), id), summary, Some(row.told()), None);
        Ok(Posted::Deleted(id))
    }

    /// Something names this contact from now on: it cannot be deleted any more.
    pub(super) fn mark_used(&mut self, id: i64) {
        let unused = self.facts.contacts.get(&id).filter(|(_, row)| !row.used);
        if let Some((_, row)) = unused {
            let row = ContactRow { used: true, ..row.clone() };
            self.put_contact(row);
        }
    }
}
