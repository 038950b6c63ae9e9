//! Journals as people enter them: VAT inside the amounts, which the rules separate; and their voiding.

use super::contact::ContactKind;
use super::journal::{Journal, JournalStatus, Line, PostedJournal, Source, SourceType, Target};
use super::money::Pence;
use super::refusal::{Refusal, VatPosting};
use super::vat::{Side, Split, VatCode, split_gross};
use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, ContactId};
use crate::domain::ledger::chart::{Account, AccountReference, Books, Role};
use crate::domain::ledger::journal;
use crate::domain::ledger::vat::{
    Basis, VatEntry, VatOrigin, VatScheme, is_capital_goods, separates_vat, side_of_line,
};

/// A journal as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualJournal {
    /// The date it is posted on.
    pub entry_date: Date,
    /// What it is.
    pub description: String,
    /// The caller's reference.
    pub reference: Option<String>,
    /// A remark.
    pub memo: Option<String>,
    /// Its lines, gross.
    pub lines: Vec<ManualLine>,
}

/// A line as entered: one side, VAT inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualLine {
    /// The account.
    pub account: AccountReference,
    /// What it debits; nothing counts as not given.
    pub debit: Option<Pence>,
    /// What it credits; nothing counts as not given.
    pub credit: Option<Pence>,
    /// A remark.
    pub memo: Option<String>,
    /// The VAT code.
    pub vat_code: Option<VatCode>,
    /// The caller's own figure for the VAT inside.
    pub vat_amount: Option<Pence>,
    /// The customer or supplier it concerns.
    pub contact_id: Option<ContactId>,
}

impl ManualLine {
    /// The amount, positive for debits; refused when there are both sides or neither.
    fn amount(&self, row: usize) -> Result<Pence, Refusal> {
        let given = |side: Option<Pence>| side.filter(|amount| !amount.is_zero());
        match (given(self.debit), given(self.credit)) {
            (Some(debit), None) => Ok(debit),
            (None, Some(credit)) => Ok(-credit),
            _ => Err(Refusal::OneSidedLine { row }),
        }
    }
}

/// Decides a journal. `known_contacts` are those of the contacts it names that are of this organisation. On the control
/// account of debtors a contact is a customer, on that of creditors a supplier.
pub fn post(
    books: &Books<'_>,
    entered: &ManualJournal,
    known_contacts: &[(ContactId, ContactKind)],
) -> Result<Journal, Refusal> {
    let lines = read_lines(books, entered, known_contacts)?;
    let scheme = books.scheme_on(entered.entry_date);
    // What is bought, without what is sold or traded in beside it.
    let is_purchase = |line: &&ReadLine<'_>| is_capital_goods(line.account, line.code()) && line.amount.is_positive();
    let capital = lines.iter().filter(is_purchase);
    let capital_gross: Pence = capital.map(|line| line.amount).sum();

    let source = Source::new(SourceType::Manual);
    let mut journal = Journal::new(entered.entry_date, source, entered.description.clone(), Vec::new());
    journal.reference = entered.reference.clone();
    journal.memo = entered.memo.clone();
    for line in &lines {
        line.post_to(&mut journal, books, scheme, capital_gross)?;
    }
    journal.checked(books.lock_date)
}

/// A line with its account, and its amount positive for debits.
struct ReadLine<'a> {
    row: usize,
    account: &'a Account,
    amount: Pence,
    entered: &'a ManualLine,
}

/// Everything named is known, every line is one-sided, the whole is in balance, and nothing is archived.
fn read_lines<'a>(
    books: &Books<'a>,
    entered: &'a ManualJournal,
    known_contacts: &[(ContactId, ContactKind)],
) -> Result<Vec<ReadLine<'a>>, Refusal> {
    let mut accounts = Vec::with_capacity(entered.lines.len());
    for (row, line) in entered.lines.iter().enumerate() {
        let account = books.named_account(&line.account, |key| format!("lines[{row}].{key}"))?;
        accounts.push(account);
        let Some(id) = line.contact_id else { continue };
        let field = || format!("lines[{row}].contact_id");
        let known = known_contacts.iter().find(|(known, _)| *known == id);
        let (_, kind) = known.ok_or_else(|| Refusal::UnknownReference { field: field(), id: id.0 })?;
        let belongs = match account.role {
            Some(Role::AccountsReceivable) => *kind == ContactKind::Customer,
            Some(Role::AccountsPayable) => *kind == ContactKind::Supplier,
            _ => true,
        };
        if !belongs {
            return Err(Refusal::ContactMismatch { field: field(), id: id.0 });
        }
    }
    if entered.lines.len() < 2 {
        return Err(Refusal::TooFewLines);
    }
    let read = |(row, (entered, account)): (usize, (&'a ManualLine, &'a Account))| {
        let amount = entered.amount(row)?;
        Ok(ReadLine { row, account, amount, entered })
    };
    let lines = entered.lines.iter().zip(accounts).enumerate().map(read).collect::<Result<Vec<_>, Refusal>>()?;
    let total = |positive: bool| lines.iter().map(|line| line.amount).filter(|one| one.is_positive() == positive).sum();
    let (total_debit, total_credit): (Pence, Pence) = (total(true), -total(false));
    if total_debit != total_credit {
        return Err(Refusal::Unbalanced { total_debit, total_credit });
    }
    for line in &lines {
        line.account.require_open(|| line.account_field())?;
    }
    Ok(lines)
}

impl ReadLine<'_> {
    fn field(&self, key: &str) -> String {
        format!("lines[{}].{key}", self.row)
    }

    /// Its VAT code.
    fn code(&self) -> VatCode {
        self.entered.vat_code.unwrap_or(VatCode::NoVat)
    }

    /// The field that names its account.
    fn account_field(&self) -> String {
        self.field(self.entered.account.key())
    }

    /// Adds the line, net, the VAT that was inside it, and the entry for the return.
    fn post_to(
        &self,
        journal: &mut Journal,
        books: &Books<'_>,
        scheme: VatScheme,
        capital_gross: Pence,
    ) -> Result<(), Refusal> {
        let code = self.code();
        let side = side_of_line(self.account, self.amount, code, || self.account_field())?;
        // The caller writes magnitudes, as for the amounts.
        let given = self.entered.vat_amount.map(|vat| if self.amount.is_negative() { -vat } else { vat });
        let mut split = split_gross(side, code, self.amount, given, || self.field("vat_amount"))?;
        let is_separated = separates_vat(scheme, side, self.account, capital_gross);
        if !is_separated {
            split = Split { net: self.amount, vat: Pence::ZERO };
        }
        if is_separated && code.is_in_return() {
            // A debit is bought, or sold and given back.
            let amount = match side {
                Side::Input => split,
                Side::Output => Split { net: -split.net, vat: -split.vat },
            };
            journal.vat.push(VatEntry {
                side,
                code,
                amount,
                basis: Basis::from(scheme).of_entries(),
                reverse_charge: None,
                tax_point: journal.entry_date,
                rate_date: None,
                origin: VatOrigin::JournalLine(journal.lines.len()),
            });
        }
        if !split.net.is_zero() {
            journal.lines.push(Line {
                memo: self.entered.memo.clone(),
                vat_code: self.entered.vat_code,
                vat_amount: self.entered.vat_code.map(|_| split.vat.abs()),
                contact_id: self.entered.contact_id,
                ..Line::new(Target::Account(self.account.id), split.net)
            });
        }
        if !split.vat.is_zero() {
            let control = Target::Account(books.vat_control(VatPosting::Journal)?);
            journal.lines.push(Line { is_system: true, ..Line::new(control, split.vat) });
        }
        Ok(())
    }
}

/// Decides the voiding of a journal: only of one that stands and that no document made. `open_allocations` are those of
/// the documents that came with it (opening balances have some).
pub fn void(
    posted: &PostedJournal,
    asked_date: Option<Date>,
    open_allocations: &[AllocationId],
    lock_date: Option<Date>,
) -> Result<Journal, Refusal> {
    let source = posted.journal.source;
    if posted.status == JournalStatus::Void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] });
    }
    match source.kind {
        SourceType::Manual | SourceType::OpeningBalance => {}
        SourceType::Reversal => return Err(Refusal::InvalidState { current: "reversal", allowed: &["posted"] }),
        kind => return Err(Refusal::LinkedToDocument { source_type: kind, source_id: source.id }),
    }
    if !open_allocations.is_empty() {
        return Err(Refusal::HasAllocations { allocation_ids: open_allocations.to_vec() });
    }
    let date = journal::void_date(posted.journal.entry_date, posted.journal.entry_date, asked_date, lock_date)?;
    posted.reversal(date, lock_date)
}

#[cfg(test)]
mod tests;
