//! Decides opening balances: previewed, set once, and voided with their journal.

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::document::{DocumentLineRecord, DocumentRecord};
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::opening::{OpeningInput, OpeningPreview, OpeningPreviewLine, OpeningSet};
use crate::domain::books::records::preview::{NewPreview, Purpose};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::DocumentId;
use crate::domain::ledger::document::{CisType, Stage};
use crate::domain::ledger::journal::{Journal, SourceType, Target};
use crate::domain::ledger::money::{Decimal4, Pence, Percent};
use crate::domain::ledger::opening::{EnteredOpening, Opening, OpeningDocument, OpeningFacts, OpeningLine};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::{CodeTotals, Side, Split, VatCode};
use crate::domain::ledger::{journal, opening};
use std::collections::BTreeSet;

const REASON: &str = "Opening balances";

/// The most open documents whose day a preview names because it was not entered.
const DUE_DATES_SAID_MAX: usize = 50;

impl BooksTransaction<'_> {
    /// What the rules say to these balances; the account of a difference stays out of the journal when there is none.
    fn prepare_opening(&self, entry: &OpeningInput) -> Result<Opening, Refusal> {
        let lines = entry.lines.iter().map(|(account, debit, credit)| OpeningLine {
            account: account.clone(),
            debit: *debit,
            credit: *credit,
        });
        let entered = EnteredOpening {
            as_of: entry.as_of,
            lines: lines.collect(),
            documents: entry.documents.clone(),
            locks_period: entry.locks_period,
            balance_to: entry.balance_to.clone(),
            allows_unassigned: entry.allows_unassigned,
        };
        let named: BTreeSet<i64> = entry.documents.iter().map(|document| document.contact_id.0).collect();
        let contacts: Vec<_> = named.into_iter().filter_map(|id| self.contact_for_rules(id)).collect();
        let taken_numbers: Vec<_> = entry.documents.iter().map(|document| self.holder_of(document)).collect();
        let facts = OpeningFacts {
            are_set: self.books.organisation.opening_balances_set,
            contacts: &contacts,
            taken_numbers: &taken_numbers,
        };
        let mut opening = opening::prepare(&self.books.books(), &facts, &entered)?;
        opening.journal.lines.retain(|line| !line.amount.is_zero());
        if entry.locks_period && entry.as_of > self.today {
            return Err(Refusal::field("as_of", "must not be in the future when it locks the books"));
        }
        Ok(opening)
    }

    /// The document that has the number of one, or the supplier's reference.
    fn holder_of(&self, document: &OpeningDocument) -> Option<DocumentId> {
        let number = document.number.clone();
        let holder = match document.kind.side() {
            Side::Output => self.facts.numbers.get(&(self.organisation(), document.kind, number)),
            Side::Input => self.facts.supplier_references.get(&(document.contact_id.0, document.kind, number)),
        };
        holder.copied().map(DocumentId)
    }

    pub(crate) fn preview_opening(
        &mut self,
        request: &CommandRequest,
        entry: &OpeningInput,
        preview: &NewPreview,
    ) -> Result<CommandResult, Rejection> {
        let before = entry.replaces.then(|| self.savepoint());
        let prepared = self.void_standing_opening(request, entry).and_then(|()| Ok(self.prepare_opening(entry)?));
        if let Some(before) = before {
            self.undo_to(before);
        }
        let opening = prepared?;
        journal::require_open(entry.as_of, self.books.lock_date())?;
        let lines = opening.journal.lines.iter().map(|line| {
            let account_id = match &line.target {
                Target::Account(id) => id.0,
                Target::FirstUse(_) => 0,
            };
            let account = self.books.accounts.get(&account_id);
            OpeningPreviewLine {
                account_id,
                account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
                account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
                contact_id: line.contact_id.map(|id| id.0),
                amount_pence: line.amount.0,
            }
        });
        let posted = OpeningPreview {
            token: preview.token.clone(),
            expires_at_ms: 0,
            as_of: entry.as_of,
            lines: lines.collect(),
            debit_pence: opening.total_debit.0,
            credit_pence: opening.total_credit.0,
            warnings: opening.warnings().into_iter().chain(self.due_dates_by_terms(entry)).collect(),
            lock_date: opening.lock_date,
        };
        let expires_at_ms = self.store_preview(Purpose::OpeningBalances, preview);
        Ok(CommandResult::OpeningPreview(Box::new(OpeningPreview { expires_at_ms, ..posted })))
    }

    /// Sets them as entered, or as previewed under a token.
    pub(crate) fn set_opening(
        &mut self,
        request: &CommandRequest,
        entry: Option<&OpeningInput>,
        token_hash: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        if let Some(hash) = token_hash {
            self.require_token(hash, Purpose::OpeningBalances)?;
        }
        let entry = entry.ok_or(Refusal::TokenExpired)?;
        let before = entry.replaces.then(|| self.savepoint());
        let set = self.replace_opening(request, entry);
        if let (Err(_), Some(before)) = (&set, before) {
            // What was voided to make room must stand as before.
            self.undo_to(before);
        }
        if let (Ok(_), Some(hash)) = (&set, token_hash) {
            self.use_token(hash);
        }
        set
    }

    fn replace_opening(&mut self, request: &CommandRequest, entry: &OpeningInput) -> Result<CommandResult, Rejection> {
        self.void_standing_opening(request, entry)?;
        let opening = self.prepare_opening(entry)?;
        let lock_date = opening.lock_date;
        let journal = opening.post(self.books.lock_date())?;
        let journal = self.write_opening(request, journal);
        let documents = entry.documents.iter().map(|document| self.open_document(document, &journal));
        let documents: Vec<i64> = documents.collect();
        let documents = documents.into_iter().filter_map(|id| self.document_view(id)).collect();
        if lock_date != self.books.lock_date() {
            self.lock_by_opening(lock_date);
        }
        let organisation = self.books.change_organisation();
        organisation.opening_balances_set = true;
        organisation.version += 1;
        organisation.updated_at_ms = self.now_ms;
        self.facts.opening_journals.insert(self.organisation(), journal.id);
        let after = AuditFields::new()
            .date("as_of", entry.as_of)
            .number("journal_id", journal.id)
            .money("total_debit", journal.total_pence)
            .date("lock_date", lock_date);
        let summary = format!("Opening balances set as of {}", entry.as_of);
        let on = (Resource::Organisation, self.organisation());
        self.record_change(ChangeAction::OpeningBalances, on, summary, None, Some(after));
        Ok(CommandResult::Opening(Box::new(OpeningSet { journal, documents, lock_date })))
    }

    /// Voids what stands, when it is to be replaced.
    fn void_standing_opening(&mut self, request: &CommandRequest, entry: &OpeningInput) -> Result<(), Rejection> {
        let standing = self.facts.opening_journals.get(&self.organisation()).copied();
        if let Some(standing) = standing.filter(|_| entry.replaces) {
            let unversioned = CommandRequest { expected_version: None, ..request.clone() };
            self.void_journal(&unversioned, standing, None, Some("Replaced"))?;
        }
        Ok(())
    }

    /// Notes an open document: issued, its VAT to be declared as it is paid, or accounted for; gives its id.
    fn open_document(&mut self, open: &OpeningDocument, journal: &JournalView) -> i64 {
        let id = self.identifiers.next(IdSequence::Document);
        let control = self.books.control_id(open.kind.control_role());
        let (number, supplier_reference) = match open.kind.side() {
            Side::Output => (open.number.clone(), None),
            // A rehearsal hands no number out; what is ours alone is never refused.
            Side::Input => (self.new_number(open.kind, None).unwrap_or_default(), Some(open.number.clone())),
        };
        self.take_number(open.kind, &number, id);
        let accounted_for = [(VatCode::NoVat, Split { net: open.amount_due, vat: Pence::ZERO })];
        let by_code = open.vat.as_deref().unwrap_or(&accounted_for);
        let lines = by_code.iter().map(|(vat_code, amount)| DocumentLineRecord {
            id: self.identifiers.next(IdSequence::DocumentLine),
            description: REASON.to_owned(),
            account_id: control,
            quantity: Decimal4::ONE,
            unit_price: Decimal4(amount.net.0.saturating_mul(100)),
            discount: Percent(0),
            vat_code: *vat_code,
            reverse_charge: None,
            has_standard_basis: false,
            given_vat_pence: open.vat.is_some().then_some(amount.vat.0),
            net_pence: amount.net.0,
            vat_pence: amount.vat.0,
            cis_type: CisType::None,
            given_cis_type: None,
        });
        let lines: Vec<_> = lines.collect();
        let by_code: CodeTotals = by_code.iter().copied().collect();
        let total = by_code.total();
        let row = DocumentRecord {
            id,
            kind: open.kind,
            stage: Stage::Issued,
            number: Some(number),
            supplier_reference,
            contact_id: open.contact_id.0,
            date: open.date,
            due_date: self.opening_due_date(open),
            reference: None,
            notes: None,
            is_vat_inclusive: false,
            origin_id: None,
            lines,
            net_pence: total.net.0,
            vat_pence: total.vat.0,
            by_code,
            paid_pence: 0,
            credited_pence: 0,
            cis: None,
            is_opening: true,
            opened_on: Some(journal.entry_date),
            basis: open.vat.as_ref().and_then(|_| opening::basis(&self.books.books(), journal.entry_date, open)),
            given_basis: None,
            journal_id: Some(journal.id),
            void_journal_id: None,
            void_date: None,
            void_reason: None,
            issued_at_ms: Some(self.now_ms),
            last_emailed_at_ms: None,
            email_count: 0,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        self.mark_used(row.contact_id);
        self.claim_supplier_reference(None, &row);
        self.effects.push(self.organisation(), Effect::DocumentLines { id, is_new: true });
        self.put_document(row);
        id
    }

    /// When an open invoice is to be paid: as entered, else by the contact's terms. Credit notes have no such day.
    fn opening_due_date(&self, open: &OpeningDocument) -> Option<Date> {
        if open.kind.is_credit_note() {
            return None;
        }
        let terms = self.contact_for_rules(open.contact_id.0).and_then(|contact| contact.payment_terms_days);
        Some(open.due_date.unwrap_or_else(|| open.date + terms.unwrap_or_else(|| self.terms_days())))
    }

    /// What a preview says of open invoices that are entered without the day they are due.
    fn due_dates_by_terms(&self, entry: &OpeningInput) -> Vec<String> {
        let without = || {
            let numbered = entry.documents.iter().enumerate();
            numbered.filter(|(_, open)| open.due_date.is_none() && !open.kind.is_credit_note())
        };
        let said = without().take(DUE_DATES_SAID_MAX).filter_map(|(at, open)| {
            let due = self.opening_due_date(open)?;
            Some(format!(
                "open_documents[{at}] ({}) has no due_date: by the payment terms it is due {due}",
                open.number
            ))
        });
        let mut said: Vec<String> = said.collect();
        let more = without().count().saturating_sub(DUE_DATES_SAID_MAX);
        if more > 0 {
            said.push(format!("{more} more open documents without due_date are due by the payment terms"));
        }
        said
    }

    /// The documents that came with an opening journal and stand.
    pub(crate) fn opening_documents(&self, journal: &JournalView) -> Vec<DocumentRecord> {
        let organisation = self.organisation();
        let of_journal = self.facts.documents.values().filter(|(of, row)| {
            *of == organisation && row.is_opening && row.journal_id == Some(journal.id) && row.stage == Stage::Issued
        });
        let mut documents: Vec<_> = of_journal.map(|(_, row)| row.clone()).collect();
        documents.sort_by_key(|row| row.id);
        documents
    }

    /// Voids the documents that came with an opening journal, as it is voided. Their numbers, which are of other books,
    /// may be given again.
    pub(crate) fn void_opening_documents(
        &mut self,
        documents: Vec<DocumentRecord>,
        (reversal, date): (i64, Date),
        reason: Option<&str>,
    ) {
        for row in documents {
            self.release_supplier_reference(&row);
            let is_sale = row.kind.side() == Side::Output;
            if let Some(number) = row.number.as_ref().filter(|_| is_sale) {
                self.facts.numbers.remove(&(self.organisation(), row.kind, number.clone()));
            }
            let row = DocumentRecord {
                stage: Stage::Void,
                reference: row.reference.or_else(|| row.number.clone().filter(|_| is_sale)),
                number: row.number.filter(|_| !is_sale),
                void_journal_id: Some(reversal),
                void_date: Some(date),
                void_reason: reason.map(str::to_owned),
                version: row.version + 1,
                updated_at_ms: self.now_ms,
                ..row
            };
            self.put_document(row);
        }
    }

    fn write_opening(&mut self, request: &CommandRequest, journal: Journal) -> JournalView {
        let journal = self.write_journal(request, journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        self.open_banks(&journal, 1);
        journal
    }

    /// Puts what an opening journal says of bank accounts on them (1), or takes it off again (-1).
    fn open_banks(&mut self, journal: &JournalView, sign: i64) {
        for line in &journal.lines {
            let bank = self.books.bank_accounts.values().find(|bank| bank.account_id == line.account_id).cloned();
            if let Some(mut bank) = bank {
                bank.opening_pence += sign * (line.debit_pence - line.credit_pence);
                self.put_bank_account(bank);
            }
        }
    }

    /// What the opening journal that stands says of an account.
    pub(crate) fn opening_of(&self, account_id: i64) -> i64 {
        let standing = self.facts.opening_journals.get(&self.organisation());
        let journal = standing.and_then(|id| self.facts.journals.get(id));
        let lines = journal.into_iter().flat_map(|journal| &journal.view.lines);
        lines.filter(|line| line.account_id == account_id).map(|line| line.debit_pence - line.credit_pence).sum()
    }

    fn lock_by_opening(&mut self, date: Option<Date>) {
        self.books.change_organisation().lock_date = date;
        let id = self.identifiers.next(IdSequence::PeriodLockChange);
        self.record_lock_change(id, date, Some(REASON));
    }

    /// Opening balances whose journal is void may be set again.
    pub(crate) fn reopen_if_opening(&mut self, journal: &JournalView) {
        if journal.source_type != SourceType::OpeningBalance.as_str() {
            return;
        }
        self.open_banks(journal, -1);
        let organisation = self.books.change_organisation();
        organisation.opening_balances_set = false;
        organisation.version += 1;
        organisation.updated_at_ms = self.now_ms;
        self.facts.opening_journals.remove(&self.organisation());
    }
}
