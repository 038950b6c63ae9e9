//! Opening balances: one journal, and the documents that were open on its day.

use std::collections::{BTreeMap, BTreeSet};

use super::contact::Contact;
use super::document::DocumentKind;
use super::journal::{Journal, Line, Source, SourceType, Target};
use super::money::Pence;
use super::refusal::Refusal;
use super::vat::{Basis, Side, Split, VatCode, require_near};
use crate::domain::date::Date;
use crate::domain::ids::{ContactId, DocumentId};
use crate::domain::ledger::chart::{AccountReference, Books, Role};
use crate::domain::ledger::issue;

/// Said of VAT that does not come to what was open.
pub const VAT_NOT_ALL: &str = "net_amount and vat_amount of all codes must come to amount_due";
/// Said of VAT that is not declared when the document is paid.
pub const VAT_NOT_UNDER_CASH: &str = "is for documents under cash accounting, whose VAT is declared when they are paid: under \
                                      any other scheme it was declared at their date. Leave it out, or set vat_scheme first";

/// Opening balances as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredOpening {
    /// The day they are the balances at the end of.
    pub as_of: Date,
    /// The balances.
    pub lines: Vec<OpeningLine>,
    /// What was not settled.
    pub documents: Vec<OpeningDocument>,
    /// Whether the books are locked up to the day.
    pub locks_period: bool,
    /// Where a difference goes.
    pub balance_to: Option<AccountReference>,
    /// Whether debtors and creditors may be more or less than the open documents.
    pub allows_unassigned: bool,
}

/// A balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningLine {
    /// The account.
    pub account: AccountReference,
    /// A debit balance; nothing counts as not given.
    pub debit: Option<Pence>,
    /// A credit balance; nothing counts as not given.
    pub credit: Option<Pence>,
}

/// A document that was not settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningDocument {
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its number, or the supplier's reference.
    pub number: String,
    /// Its date.
    pub date: Date,
    /// When it is to be paid.
    pub due_date: Option<Date>,
    /// What was open of it; more than nothing.
    pub amount_due: Pence,
    /// What of it the return has yet to count, by code: under cash accounting the VAT of what was unpaid is not declared
    /// (VAT Notice 731). Without it the document counts as already accounted for.
    pub vat: Option<Vec<(VatCode, Split)>>,
}

/// The facts that opening balances need beside the books.
#[derive(Debug, Clone, Copy)]
pub struct OpeningFacts<'a> {
    /// Whether there are opening balances that stand.
    pub are_set: bool,
    /// The contacts named.
    pub contacts: &'a [Contact],
    /// By the place of each open document, the document that has its number.
    pub taken_numbers: &'a [Option<DocumentId>],
}

/// What opening balances would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The journal, with the difference where it was asked to go.
    pub journal: Journal,
    /// Debits, control accounts by contact, without the difference.
    pub total_debit: Pence,
    /// Credits, likewise.
    pub total_credit: Pence,
    /// The lock date from then on.
    pub lock_date: Option<Date>,
    /// Debtors without a document.
    pub unassigned_receivable: Pence,
    /// Creditors without a document.
    pub unassigned_payable: Pence,
    /// Open documents that do not say their VAT, where cash accounting would declare it as they are paid.
    pub without_vat_count: usize,
}

impl Opening {
    /// Debits less credits.
    pub fn difference(&self) -> Pence {
        self.total_debit - self.total_credit
    }

    /// What a person should look at before agreeing.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.difference().is_zero() {
            warnings.push(format!("debits and credits differ by {}", self.difference()));
        }
        for (what, amount) in [("debtors", self.unassigned_receivable), ("creditors", self.unassigned_payable)] {
            if !amount.is_zero() {
                warnings.push(format!("{amount} of the {what} is on no open document"));
            }
        }
        if self.without_vat_count > 0 {
            let count = self.without_vat_count;
            warnings.push(format!(
                "opening_vat_missing: {count} of the open documents without vat, which under cash accounting is declared as they \
                 are paid; without it they count as accounted for"
            ));
        }
        warnings
    }

    /// Decides the posting: in balance, in an open period.
    pub fn post(self, lock_date: Option<Date>) -> Result<Journal, Refusal> {
        self.journal.checked(lock_date)
    }
}

/// Decides what opening balances would do; [`Opening::post`] decides whether they may.
pub fn prepare(books: &Books<'_>, facts: &OpeningFacts<'_>, entered: &EnteredOpening) -> Result<Opening, Refusal> {
    let mut lines = Vec::with_capacity(entered.lines.len() + 1);
    let mut accounts = Vec::with_capacity(entered.lines.len());
    for (row, line) in entered.lines.iter().enumerate() {
        accounts.push(books.named_account(&line.account, |key| format!("lines[{row}].{key}"))?);
    }
    for (row, document) in entered.documents.iter().enumerate() {
        require_contact(facts.contacts, row, document)?;
    }
    if facts.are_set {
        return Err(Refusal::AlreadySet);
    }
    require_numbers(facts.taken_numbers, &entered.documents)?;
    for (row, document) in entered.documents.iter().enumerate() {
        require_dates(entered.as_of, row, document)?;
        require_vat(books, entered.as_of, row, document)?;
    }
    let waits = |document: &&OpeningDocument| waiting_basis(books, entered.as_of + 1, document.kind).is_some();
    let without_vat = entered.documents.iter().filter(waits).filter(|document| document.vat.is_none());
    for (row, (line, account)) in entered.lines.iter().zip(accounts).enumerate() {
        account.require_open(|| format!("lines[{row}].{}", line.account.key()))?;
        lines.push(Line::new(Target::Account(account.id), line.amount(row)?));
    }
    let unassigned_receivable = unassigned(books, Side::Output, &lines, entered)?;
    let unassigned_payable = unassigned(books, Side::Input, &lines, entered)?;
    for side in [Side::Output, Side::Input] {
        lines = by_contact(books, side, lines, &entered.documents);
    }
    let total_debit = lines.iter().map(Line::debit).sum();
    let total_credit = lines.iter().map(Line::credit).sum();
    if let Some(name) = &entered.balance_to {
        let field = |key: &str| format!("balance_to_{key}");
        let account = books.named_account(name, field)?;
        account.require_open(|| field(name.key()))?;
        lines.push(Line::new(Target::Account(account.id), total_credit - total_debit));
    }
    let source = Source::new(SourceType::OpeningBalance);
    Ok(Opening {
        journal: Journal::new(entered.as_of, source, "Opening balances", lines),
        total_debit,
        total_credit,
        lock_date: if entered.locks_period { books.lock_date.max(Some(entered.as_of)) } else { books.lock_date },
        unassigned_receivable,
        unassigned_payable,
        without_vat_count: without_vat.count(),
    })
}

impl OpeningLine {
    fn amount(&self, row: usize) -> Result<Pence, Refusal> {
        let given = |side: Option<Pence>| side.filter(|amount| !amount.is_zero());
        match (given(self.debit), given(self.credit)) {
            (Some(debit), None) => Ok(debit),
            (None, Some(credit)) => Ok(-credit),
            _ => Err(Refusal::OneSidedLine { row }),
        }
    }
}

fn require_contact(contacts: &[Contact], row: usize, document: &OpeningDocument) -> Result<(), Refusal> {
    let kind = document.kind.contact_kind();
    let is_known = contacts.iter().any(|contact| contact.id == document.contact_id && contact.kind == kind);
    if is_known {
        return Ok(());
    }
    let field = format!("open_documents[{row}].{}", kind.id_field());
    Err(Refusal::UnknownReference { field, id: document.contact_id.0 })
}

/// Numbers of sales documents are unique by kind; suppliers' references by supplier.
fn require_numbers(taken: &[Option<DocumentId>], documents: &[OpeningDocument]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for (row, document) in documents.iter().enumerate() {
        let field = format!("open_documents[{row}].number");
        let supplier = (document.kind.side() == Side::Input).then_some(document.contact_id);
        if !seen.insert((document.kind, supplier, document.number.as_str())) {
            return Err(Refusal::field(field, "is the number of another document of the list"));
        }
        issue::require_countable(&document.number, field.clone())?;
        issue::require_free(taken.get(row).copied().flatten(), None, field)?;
    }
    Ok(())
}

fn require_dates(as_of: Date, row: usize, document: &OpeningDocument) -> Result<(), Refusal> {
    if document.date > as_of {
        return Err(Refusal::field(format!("open_documents[{row}].date"), "must not be after as_of"));
    }
    if document.due_date.is_some_and(|due_date| due_date < document.date) {
        return Err(Refusal::field(format!("open_documents[{row}].due_date"), "must not be before date"));
    }
    Ok(())
}

/// The VAT of an open document is all of what was open, near the rates, and of a document under cash accounting: on its
/// own date or on the first day of the books. Under another scheme it was declared at the document's date.
fn require_vat(books: &Books<'_>, as_of: Date, row: usize, document: &OpeningDocument) -> Result<(), Refusal> {
    let Some(vat) = &document.vat else { return Ok(()) };
    let field = format!("open_documents[{row}].vat");
    if basis(books, as_of, document).is_none() {
        return Err(Refusal::field(field, VAT_NOT_UNDER_CASH));
    }
    for (at, (code, amount)) in vat.iter().enumerate() {
        require_near(*code, *amount, || format!("{field}[{at}].vat_amount"))?;
    }
    if vat.iter().map(|(_, amount)| amount.gross()).sum::<Pence>() != document.amount_due {
        return Err(Refusal::field(field, VAT_NOT_ALL));
    }
    Ok(())
}

/// How the VAT of an open document is declared when it is paid: by the scheme of its own date or of the first day of the books;
/// none when it was declared before.
pub fn basis(books: &Books<'_>, as_of: Date, document: &OpeningDocument) -> Option<Basis> {
    [document.date, as_of + 1].into_iter().find_map(|date| waiting_basis(books, date, document.kind))
}

/// The basis of documents of a kind and date whose VAT is declared when they are paid. What is bought is no turnover.
fn waiting_basis(books: &Books<'_>, date: Date, kind: DocumentKind) -> Option<Basis> {
    let basis = Basis::from(books.scheme_on(date));
    let is_turnover_or_cash = basis == Basis::Cash || kind.side() == Side::Output;
    Some(basis).filter(|basis| basis.waits_for_payment() && is_turnover_or_cash)
}

/// The control account of sales or purchases.
fn control_role(side: Side) -> Role {
    match side {
        Side::Output => Role::AccountsReceivable,
        Side::Input => Role::AccountsPayable,
    }
}

/// Splits what is owed: a line for every contact with open documents, and one for the rest.
fn by_contact(books: &Books<'_>, side: Side, lines: Vec<Line>, documents: &[OpeningDocument]) -> Vec<Line> {
    let mut owed: BTreeMap<ContactId, Pence> = BTreeMap::new();
    for document in documents.iter().filter(|document| document.kind.side() == side) {
        let amount = Pence(document.amount_due.0 * document.kind.control_sign());
        *owed.entry(document.contact_id).or_default() += amount;
    }
    if owed.is_empty() {
        return lines;
    }
    let control = books.control(control_role(side));
    let place = lines.iter().position(|line| line.target == control).unwrap_or(lines.len());
    let (of_control, mut others): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| line.target == control);
    let balance: Pence = of_control.iter().map(|line| line.amount).sum();
    let rest = balance - owed.values().copied().sum::<Pence>();
    let of_contacts = owed.into_iter().map(|(contact, amount)| (Some(contact), amount));
    let split = of_contacts.chain([(None, rest)]).filter(|(_, amount)| !amount.is_zero());
    let split = split.map(|(contact_id, amount)| Line { contact_id, ..Line::new(control.clone(), amount) });
    // The lines of other accounts before the control account stay before it.
    others.splice(place..place, split.collect::<Vec<_>>());
    others
}

/// What debtors or creditors are more than the open documents; refused unless it may be.
fn unassigned(books: &Books<'_>, side: Side, lines: &[Line], entered: &EnteredOpening) -> Result<Pence, Refusal> {
    let sign = if side == Side::Output { 1 } else { -1 };
    let control = books.control(control_role(side));
    let balance: Pence = lines.iter().filter(|line| line.target == control).map(|line| line.amount).sum();
    let of_side = entered.documents.iter().filter(|document| document.kind.side() == side);
    let open: Pence = of_side.map(|document| Pence(document.amount_due.0 * document.kind.control_sign())).sum();
    let (balance, open) = (Pence(balance.0 * sign), Pence(open.0 * sign));
    if balance != open && !entered.allows_unassigned {
        let (account, documents) = match side {
            Side::Output => ("receivable", "customers"),
            Side::Input => ("payable", "suppliers"),
        };
        let message = format!(
            "the accounts {account} control account is opened with {balance}, the open documents of {documents} come to \
             {open}: make them agree, or set allow_unassigned to true to leave the rest without a contact"
        );
        return Err(Refusal::AmountMismatch { expected: open, actual: balance }.with_message(message));
    }
    Ok(balance - open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::AccountId;
    use crate::domain::ledger::chart::Account;
    use crate::domain::ledger::chart::Chart;
    use crate::domain::ledger::contact::ContactKind;
    use crate::domain::ledger::testing::{books, chart, contact, posted, shown};
    use crate::domain::ledger::vat::VatHistory;

    const AS_OF: Date = Date::numbered(20_178);

    fn line(chart: &Chart, code: &str, pence: i64) -> OpeningLine {
        let side = Some(Pence(pence.abs()));
        let account = AccountReference::Id(chart.with_code(code).unwrap().id);
        OpeningLine { account, debit: side.filter(|_| pence > 0), credit: side.filter(|_| pence < 0) }
    }

    fn open(kind: DocumentKind, number: &str, pence: i64) -> OpeningDocument {
        let contact_id = ContactId(if kind.side() == Side::Output { 3 } else { 4 });
        let number = number.to_owned();
        OpeningDocument { kind, contact_id, number, date: AS_OF, due_date: None, amount_due: Pence(pence), vat: None }
    }

    fn entered(chart: &Chart) -> EnteredOpening {
        EnteredOpening {
            as_of: AS_OF,
            lines: vec![
                line(chart, "1200", 500_000),
                line(chart, "1100", 90_000),
                line(chart, "2100", -40_000),
                line(chart, "3000", -550_000),
            ],
            documents: vec![
                open(DocumentKind::SalesInvoice, "INV-0101", 100_000),
                open(DocumentKind::SalesCreditNote, "SCN-0003", 10_000),
                open(DocumentKind::PurchaseInvoice, "A7", 40_000),
            ],
            locks_period: true,
            balance_to: None,
            allows_unassigned: false,
        }
    }

    fn decide(chart: &Chart, entered: &EnteredOpening) -> Result<Opening, Refusal> {
        let vat = VatHistory::default();
        let contacts = [contact(ContactKind::Customer), Contact { id: ContactId(4), ..contact(ContactKind::Supplier) }];
        let facts = OpeningFacts { are_set: false, contacts: &contacts, taken_numbers: &[] };
        prepare(&books(chart, &vat), &facts, entered)
    }

    #[test]
    fn one_journal_without_vat_and_a_lock() {
        let chart = chart(true);
        let opening = decide(&chart, &entered(&chart)).unwrap();
        assert_eq!((opening.lock_date, opening.difference()), (Some(AS_OF), Pence::ZERO));
        assert!(opening.warnings().is_empty());
        let journal = opening.post(None).unwrap();
        assert_eq!(
            shown(&chart, &journal),
            posted(&[("1200", 500_000), ("1100", 90_000), ("2100", -40_000), ("3000", -550_000)])
        );
        assert!(journal.vat.is_empty());
        assert_eq!(journal.source, Source::new(SourceType::OpeningBalance));
        let unlocked = EnteredOpening { locks_period: false, ..entered(&chart) };
        assert_eq!(decide(&chart, &unlocked).unwrap().lock_date, None);
    }

    #[test]
    fn what_is_owed_is_split_by_contact() {
        let chart = chart(true);
        let mut two = entered(&chart);
        two.documents
            .push(OpeningDocument { contact_id: ContactId(5), ..open(DocumentKind::SalesInvoice, "X", 15_000) });
        two.lines[1] = line(&chart, "1100", 110_000);
        two.allows_unassigned = true;
        let vat = VatHistory::default();
        let contacts = [3, 4, 5].map(|id| Contact {
            id: ContactId(id),
            ..contact(if id == 4 { ContactKind::Supplier } else { ContactKind::Customer })
        });
        let facts = OpeningFacts { are_set: false, contacts: &contacts, taken_numbers: &[] };
        let opening = prepare(&books(&chart, &vat), &facts, &two).unwrap();
        assert_eq!(opening.unassigned_receivable, Pence(5_000));
        let control = chart.with_code("1100").unwrap().id;
        let lines = opening.journal.lines.iter().filter(|line| line.target == Target::Account(control));
        let split: Vec<_> = lines.map(|line| (line.contact_id.map(|id| id.0), line.amount.0)).collect();
        assert_eq!(split, [(Some(3), 90_000), (Some(5), 15_000), (None, 5_000)]);
        assert_eq!(shown(&chart, &opening.journal)[0], posted(&[("1200", 500_000)])[0]);
    }

    #[test]
    fn a_difference_is_refused_or_goes_where_it_is_asked_to() {
        let chart = chart(true);
        let mut short = entered(&chart);
        short.lines[3] = line(&chart, "3000", -549_000);
        let opening = decide(&chart, &short).unwrap();
        assert_eq!(opening.warnings(), ["debits and credits differ by 10.00"]);
        let refused = opening.post(None).unwrap_err();
        assert_eq!(refused, Refusal::Unbalanced { total_debit: Pence(590_000), total_credit: Pence(589_000) });
        short.balance_to = Some(AccountReference::Code("9999".to_owned()));
        let journal = decide(&chart, &short).unwrap().post(None).unwrap();
        assert_eq!(shown(&chart, &journal).last(), posted(&[("9999", -1_000)]).last());
        assert_eq!(decide(&chart, &short).unwrap().post(Some(AS_OF)).unwrap_err().reason(), "period_locked");
    }

    #[test]
    fn debtors_and_creditors_are_the_open_documents() {
        let chart = chart(true);
        let mut without = entered(&chart);
        without.documents.pop();
        let refused = decide(&chart, &without).unwrap_err();
        assert_eq!(refused.reason(), "amount_mismatch");
        assert!(refused.message().contains("payable control account is opened with 400.00"), "{}", refused.message());
        without.allows_unassigned = true;
        let opening = decide(&chart, &without).unwrap();
        assert_eq!((opening.unassigned_receivable, opening.unassigned_payable), (Pence::ZERO, Pence(40_000)));
        assert_eq!(opening.warnings(), ["400.00 of the creditors is on no open document"]);
    }

    #[test]
    fn each_way_opening_balances_are_refused() {
        let mut chart = chart(true);
        let refused = |chart: &Chart, change: &dyn Fn(&mut EnteredOpening)| {
            let mut entered = entered(chart);
            change(&mut entered);
            decide(chart, &entered).unwrap_err()
        };
        let unknown = refused(&chart, &|entered| entered.lines[1].account = AccountReference::Id(AccountId(999)));
        assert_eq!(unknown, Refusal::UnknownReference { field: "lines[1].account_id".to_owned(), id: 999 });
        let stranger = refused(&chart, &|entered| entered.documents[2].contact_id = ContactId(3));
        assert_eq!(stranger, Refusal::UnknownReference { field: "open_documents[2].supplier_id".to_owned(), id: 3 });
        let both = refused(&chart, &|entered| entered.lines[0].credit = Some(Pence(1)));
        assert_eq!(both, Refusal::OneSidedLine { row: 0 });
        let late = refused(&chart, &|entered| entered.documents[0].date = AS_OF + 1);
        let early = refused(&chart, &|entered| entered.documents[0].due_date = Some(AS_OF - 1));
        let twice = refused(&chart, &|entered| entered.documents.push(entered.documents[0].clone()));
        for refused in [late, early, twice] {
            assert_eq!(refused.reason(), "invalid_field");
        }
        let suspense = chart.with_code("3000").unwrap().clone();
        chart.insert(Account { is_archived: true, ..suspense });
        assert_eq!(refused(&chart, &|_| ()).reason(), "account_archived");
    }

    #[test]
    fn they_are_set_once_and_their_numbers_are_free() {
        let (chart, vat) = (chart(true), VatHistory::default());
        let contacts = [contact(ContactKind::Customer), Contact { id: ContactId(4), ..contact(ContactKind::Supplier) }];
        let decide = |are_set, taken_numbers| {
            let facts = OpeningFacts { are_set, contacts: &contacts, taken_numbers };
            prepare(&books(&chart, &vat), &facts, &entered(&chart)).unwrap_err()
        };
        assert_eq!(decide(true, &[]), Refusal::AlreadySet);
        let taken = decide(false, &[None, Some(DocumentId(6))]);
        assert_eq!(taken, Refusal::DuplicateNumber { field: "open_documents[1].number".into(), existing_id: 6 });
    }
}
