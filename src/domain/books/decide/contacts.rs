//! Decides commands about customers and suppliers.

use crate::domain::books::audit_fields::ChangeAction;
use crate::domain::books::decide::{BooksTransaction, Rejection, archiving, require_version};
use crate::domain::books::effects::{Effect, ListCounters};
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::contact::{ContactDetails, ContactField, ContactRecord, ContactView};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ids::{AccountId, ContactId};
use crate::domain::ledger::contact;
use crate::domain::ledger::contact::{CisRate, ContactKind};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::reports::contact_balances::ContactBalance;

impl BooksTransaction<'_> {
    pub(crate) fn create_contact(
        &mut self,
        kind: ContactKind,
        fields: &[ContactField],
    ) -> Result<CommandResult, Rejection> {
        let details = self.accepted_details(kind, None, ContactDetails::default().with(fields))?;
        let row = ContactRecord {
            id: self.identifiers.next(IdSequence::Contact),
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
        self.facts.owed.insert(row.id, ContactBalance::default());
        let summary = format!("{} made", row.title());
        self.record_change(ChangeAction::Create, (row.resource(), row.id), summary, None, Some(row.audit_fields()));
        Ok(self.contact_view(row))
    }

    /// The details as the rules accept them.
    fn accepted_details(
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

    /// Sets a contact.
    pub(crate) fn put_contact(&mut self, row: ContactRecord) {
        let organisation = self.organisation();
        self.facts.references.retain(|_, holder| *holder != row.id);
        if let Some(reference) = &row.details.reference {
            self.facts.references.insert((organisation, row.kind, reference.clone()), row.id);
        }
        let (id, after) = (row.id, ListCounters::from(&row));
        let before = self.facts.contacts.insert(id, (organisation, row));
        self.effects.move_counters(organisation, before.map(|(_, row)| ListCounters::from(row)), Some(after));
        self.effects.push(organisation, Effect::Contact(id));
    }

    /// A contact, if the caller has seen its version.
    pub(super) fn contact(
        &self,
        request: &CommandRequest,
        kind: ContactKind,
        id: i64,
    ) -> Result<ContactRecord, Rejection> {
        let found = self.facts.contacts.get(&id);
        let row = found.filter(|(organisation, row)| *organisation == self.organisation() && row.kind == kind);
        let (_, row) = row.ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row.clone())
    }

    /// The answer about a contact.
    fn contact_view(&self, row: ContactRecord) -> CommandResult {
        let owed = self.facts.owed.get(&row.id).copied().unwrap_or_default();
        let (balance_pence, overdue_pence) = (owed.balance_pence(row.kind), owed.overdue_pence(row.kind));
        CommandResult::Contact(Box::new(ContactView { row, balance_pence, overdue_pence }))
    }

    /// Writes a changed contact.
    fn write_changed_contact(&mut self, action: ChangeAction, row: ContactRecord) -> CommandResult {
        let row = ContactRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.facts.contacts.get(&row.id).map(|(_, before)| before.audit_fields());
        self.put_contact(row.clone());
        let summary = format!("{} {}", row.title(), action.done());
        self.record_change(action, (row.resource(), row.id), summary, before, Some(row.audit_fields()));
        self.contact_view(row)
    }

    pub(crate) fn patch_contact(
        &mut self,
        request: &CommandRequest,
        kind: ContactKind,
        id: i64,
        fields: &[ContactField],
    ) -> Result<CommandResult, Rejection> {
        let row = self.contact(request, kind, id)?;
        let details = self.accepted_details(kind, Some(id), row.details.clone().with(fields))?;
        Ok(self.write_changed_contact(ChangeAction::Update, ContactRecord { details, ..row }))
    }

    pub(crate) fn archive_contact(
        &mut self,
        request: &CommandRequest,
        kind: ContactKind,
        id: i64,
        archived: bool,
    ) -> Result<CommandResult, Rejection> {
        let row = self.contact(request, kind, id)?;
        if row.archived_at_ms.is_some() == archived {
            return Ok(self.contact_view(row));
        }
        let (to, from) = if archived { ("archived", "active") } else { ("active", "archived") };
        self.effects.count(self.organisation(), kind.as_str(), from, -1);
        self.effects.count(self.organisation(), kind.as_str(), to, 1);
        let archived_at_ms = archived.then_some(self.now_ms);
        Ok(self.write_changed_contact(archiving(archived), ContactRecord { archived_at_ms, ..row }))
    }

    pub(crate) fn delete_contact(
        &mut self,
        request: &CommandRequest,
        kind: ContactKind,
        id: i64,
    ) -> Result<CommandResult, Rejection> {
        let row = self.contact(request, kind, id)?;
        contact::delete(row.used)?;
        let status = if row.archived_at_ms.is_some() { "archived" } else { "active" };
        self.effects.count(self.organisation(), kind.as_str(), status, -1);
        self.effects.move_counters(self.books.organisation.id.0, Some(ListCounters::from(&row)), None);
        self.facts.contacts.remove(&id);
        self.facts.references.retain(|_, holder| *holder != id);
        self.effects.push(self.organisation(), Effect::ContactDeleted(id));
        let summary = format!("{} deleted", row.title());
        self.record_change(ChangeAction::Delete, (row.resource(), id), summary, Some(row.audit_fields()), None);
        Ok(CommandResult::Deleted(id))
    }
}
