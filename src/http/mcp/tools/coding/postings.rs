//! Coded lines as commands to the books: a line that settles documents is confirmed as a receipt, a payment or a refund, a
//! transfer as a transfer, all others as coded. A line that is not in the books is entered first.

use std::collections::{BTreeSet, HashMap};

use super::ChartAccount;
use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::planned_ids::stand_in;
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::plan::PlannedOperation;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::books::records::statement_line::StatementLineInput;
use crate::domain::coding_session::{Coding, LineDetails, ReviewedLine, SessionInvoice, external_id};
use crate::domain::ids::{AccountId, CodingSessionId};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank_coding::{CodedLine, Coding as LedgerCoding};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;

/// The method of a transfer.
const TRANSFER: &str = "transfer";

/// A row that is not posted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedRow {
    pub(super) row_id: i64,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

/// What lines are posted by.
pub(super) struct Poster<'a> {
    pub(super) session: &'a CodingSessionId,
    pub(super) chart: &'a [ChartAccount],
    pub(super) banks: &'a [BankAccountView],
    pub(super) invoices: &'a [SessionInvoice],
}

/// A coded line, or the two sides of a transfer.
#[derive(Debug, Clone)]
pub(super) struct CodedPosting {
    /// The lines of the session.
    pub(super) rows: Vec<i64>,
    /// Enter the lines that are not in the books yet.
    enters: Vec<BooksCommand>,
    /// The line that is confirmed: its identifier, or none for the first that is entered.
    line: Option<i64>,
    /// How; of a transfer whose other side is entered, that is named once it is.
    confirmation: Confirming,
}

/// How a line is confirmed.
#[derive(Debug, Clone)]
enum Confirming {
    As(Confirmation),
    /// With the line that is entered last.
    TransferWithEntered,
}

impl CodedPosting {
    /// Adds its operations to a plan.
    pub(super) fn add_to(&self, operations: &mut Vec<PlannedOperation>) {
        let first = operations.len();
        let add = |command: BooksCommand| PlannedOperation { command, expected_version: None };
        operations.extend(self.enters.iter().cloned().map(add));
        let last = operations.len().saturating_sub(1);
        let line = self.line.unwrap_or_else(|| stand_in(first));
        let confirmation = match &self.confirmation {
            Confirming::As(confirmation) => confirmation.clone(),
            Confirming::TransferWithEntered => Confirmation::TransferWith(stand_in(last)),
        };
        operations.push(add(BooksCommand::Confirm { items: vec![(line, confirmation)], is_batch: false }));
    }
}

/// Where a line stands.
enum Place {
    /// In the books.
    Line(i64),
    /// It is entered first.
    New(BooksCommand),
}

type Refusal = (&'static str, String);

impl Poster<'_> {
    /// The postings of lines, and the lines that cannot be posted.
    pub(super) fn postings(&self, lines: &[ReviewedLine<'_>]) -> (Vec<CodedPosting>, Vec<RefusedRow>) {
        let by_row: HashMap<i64, &ReviewedLine<'_>> = lines.iter().map(|line| (line.line.line, line)).collect();
        let (mut postings, mut refused) = (Vec::with_capacity(lines.len()), Vec::new());
        let mut taken = BTreeSet::new();
        for line in lines {
            if taken.contains(&line.line.line) {
                continue;
            }
            match self.posting(line, &by_row) {
                Ok(posting) => {
                    taken.extend(posting.rows.iter().copied());
                    postings.push(posting);
                }
                Err((reason, message)) => refused.push(RefusedRow { row_id: line.line.line, reason, message }),
            }
        }
        (postings, refused)
    }

    fn posting(
        &self,
        line: &ReviewedLine<'_>,
        by_row: &HashMap<i64, &ReviewedLine<'_>>,
    ) -> Result<CodedPosting, Refusal> {
        let coding = line.coding.as_ref();
        let coding = coding.ok_or_else(|| ("not_coded", "run_coding or recode_transaction first".to_owned()))?;
        let (row, mut enters) = (line.line.line, Vec::new());
        let mut stand = |row: i64, details: &LineDetails| {
            Ok::<_, Refusal>(match self.place(row, details)? {
                Place::Line(id) => Some(id),
                Place::New(enter) => {
                    enters.push(enter);
                    None
                }
            })
        };
        let item = stand(row, &line.line.details)?;
        let (rows, confirmation) = match coding.transfer_line.filter(|_| coding.method == TRANSFER) {
            Some(other) => {
                let pair = by_row.get(&other).filter(|pair| !pair.is_recoded());
                let message = || format!("it is a transfer, and its other side, row {other}, is not among the rows");
                let pair = pair.ok_or_else(|| ("transfer_incomplete", message()))?;
                let with = stand(other, &pair.line.details)?.map(Confirmation::TransferWith);
                (vec![row, other], with.map_or(Confirming::TransferWithEntered, Confirming::As))
            }
            None => (vec![row], Confirming::As(self.confirmation(&line.line.details, coding)?)),
        };
        Ok(CodedPosting { rows, enters, line: item, confirmation })
    }

    fn place(&self, row: i64, line: &LineDetails) -> Result<Place, Refusal> {
        if let Some(id) = line.bank_transaction_id {
            return Ok(Place::Line(id));
        }
        let wanted = line.bank_account.trim();
        let named =
            |bank: &&BankAccountView| bank.account_code == wanted || bank.row.details.name.eq_ignore_ascii_case(wanted);
        let bank = self.banks.iter().find(named).ok_or_else(|| {
            ("unknown_reference", format!("the organisation has no bank account with the code or name {wanted}"))
        })?;
        let input = StatementLineInput {
            date: line.date(),
            amount_pence: line.amount_pence,
            description: line.description.clone(),
            reference: line.reference.clone(),
            merchant: line.merchant.clone(),
            // By this a line that was posted before is known again.
            external_id: Some(external_id(self.session, row)),
        };
        Ok(Place::New(BooksCommand::CreateBankTransaction { bank_account_id: bank.row.id, row: Box::new(input) }))
    }

    fn confirmation(&self, line: &LineDetails, coding: &Coding) -> Result<Confirmation, Refusal> {
        if !coding.settles.is_empty() {
            return self.settlement(line, coding);
        }
        if !coding.splits.is_empty() {
            let parts = coding.splits.iter().map(|split| {
                let gross = Pence(split.amount_pence);
                self.coded(Some(&split.account_code), split.vat_code.as_deref(), gross, None)
            });
            let lines = parts.collect::<Result<_, _>>()?;
            return Ok(Confirmation::Coded(LedgerCoding { lines, is_short: false }));
        }
        if coding.method == TRANSFER {
            // Its other side is still to come: the account is that of another bank account.
            let code = coding.account_code.as_deref();
            let bank = self.banks.iter().find(|bank| Some(bank.account_code.as_str()) == code);
            if let Some(bank) = bank {
                return Ok(Confirmation::TransferTo(bank.row.id));
            }
        }
        let (account, vat_code) = (coding.account_code.as_deref(), coding.vat_code.as_deref());
        let memo = Some(coding.reason.clone()).filter(|note| coding.confidence.is_none() && !note.is_empty());
        let one = self.coded(account, vat_code, Pence(line.amount_pence), memo)?;
        Ok(Confirmation::Coded(LedgerCoding { lines: vec![one], is_short: true }))
    }

    fn coded(
        &self,
        account: Option<&str>,
        vat_code: Option<&str>,
        gross: Pence,
        memo: Option<String>,
    ) -> Result<CodedLine, Refusal> {
        let code = account.unwrap_or_default();
        let id = self.chart.iter().find(|known| known.account.code == code).and_then(|known| known.id);
        let id = id.ok_or_else(|| ("unknown_reference", format!("the chart has no account {code}")))?;
        let vat_code = vat_code.unwrap_or("NV");
        let vat_code = VatCode::parse(vat_code);
        let vat_code = vat_code.ok_or_else(|| ("unknown_reference", "the books have no such VAT code".to_owned()))?;
        let account = AccountReference::Id(AccountId(id));
        Ok(CodedLine { account, gross, vat_code, vat_amount: None, memo })
    }

    /// A receipt, a payment or a refund for the documents that a line settles.
    fn settlement(&self, line: &LineDetails, coding: &Coding) -> Result<Confirmation, Refusal> {
        let mixed = |message: &str| ("settlement", message.to_owned());
        let mut left = line.amount_pence.abs();
        let (mut of, mut allocations) = (None, Vec::with_capacity(coding.settles.len()));
        for settled in &coding.settles {
            let invoice = self.invoices.iter().find(|known| known.invoice_ref == settled.invoice_ref);
            let document = invoice.and_then(|invoice| invoice.document.as_ref());
            let Some((kind, id, contact)) = document else {
                let message = format!("{} is not a document of the books; fetch_outstanding_invoices", settled.number);
                return Err(("not_in_books", message));
            };
            let this = (settlement_kind(kind, line.amount_pence), *contact);
            if of.is_some_and(|of| of != this) {
                return Err(mixed("it settles documents of several contacts or kinds; post it by a plan"));
            }
            of = Some(this);
            let due = invoice.map_or(0, |invoice| invoice.due_pence);
            let open = settled.amount_pence.min(due);
            let cash = open.min(left);
            left -= cash;
            // What a customer withheld under the Construction Industry Scheme is settled beside the cash.
            let withheld = if settled.kind == "cis_deduction" { open - cash } else { 0 };
            let to = match kind.as_str() {
                "sales_invoice" | "purchase_invoice" => AllocationTarget::Invoice(*id),
                _ => AllocationTarget::CreditNote(*id),
            };
            if cash > 0 {
                allocations.push(AllocationInput { to, amount_pence: cash, cis_suffered_pence: withheld });
            }
        }
        match of {
            Some((Some(kind), contact_id)) => Ok(Confirmation::Settlement { kind, contact_id, allocations }),
            _ => Err(mixed("money does not go this way for the documents it settles")),
        }
    }
}

/// How money in or out settles a kind of document; none when it does not.
fn settlement_kind(document: &str, amount_pence: i64) -> Option<SettlementKind> {
    match (document, amount_pence > 0) {
        ("sales_invoice", true) => Some(SettlementKind::CustomerReceipt),
        ("sales_credit_note", false) => Some(SettlementKind::CustomerRefund),
        ("purchase_invoice", false) => Some(SettlementKind::SupplierPayment),
        ("purchase_credit_note", true) => Some(SettlementKind::SupplierRefund),
        _ => None,
    }
}
