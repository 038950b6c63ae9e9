//! The statement of a customer or supplier: what they owed or were owed, what was posted to them, and what is open.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::{SchemaType, Type};

use super::Period;
use super::ageing::{AgeBy, AgedAmounts, AgedDocument, AgedRows, age, ageing_example, documents_example};
use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::{Money, Pence};

/// What is behind a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementSource {
    /// An invoice or credit note, with the date it is due.
    Document(DocumentKind, i64, Option<Date>),
    /// A receipt, payment or refund, with the cash of the journal: nothing where it moved only what CIS withheld.
    Settlement(SettlementKind, i64, Pence),
    /// Neither.
    Journal,
}

/// A line on the control account with a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedStatementLine {
    /// Its date.
    pub date: Date,
    /// Its journal.
    pub journal_id: i64,
    /// What made the journal.
    pub source_type: SourceType,
    /// What is behind it; of a reversal, what is behind what it reverses.
    pub source: StatementSource,
    /// The number of that.
    pub number: Option<String>,
    /// The caller's or supplier's reference of that.
    pub reference: Option<String>,
    /// Debits.
    pub debit: Pence,
    /// Credits.
    pub credit: Pence,
}

/// What a statement is computed from.
#[derive(Debug)]
pub struct StatementRows {
    /// Whose.
    pub contact: StatementContact,
    /// Debits less credits of the contact on the control account at the end of the day before.
    pub opening: Pence,
    /// By date and journal.
    pub lines: Vec<PostedStatementLine>,
    /// What may be open at the end of the period.
    pub open: AgedRows,
}

/// The customer or supplier of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StatementContact {
    /// Identifier.
    pub id: Id,
    /// Which.
    #[schema(schema_with = contact_kind)]
    pub kind: &'static str,
    /// The name today.
    pub name: String,
    /// The caller's own reference.
    #[schema(required)]
    pub reference: Option<String>,
    /// Whether new documents are refused.
    pub is_archived: bool,
}

fn contact_kind() -> ObjectBuilder {
    let words = [ContactKind::Customer, ContactKind::Supplier].map(ContactKind::as_str);
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
}

/// The statement of a customer or supplier over a period.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct Statement {
    /// Whose.
    pub contact: StatementContact,
    /// What a customer owed us, or we owed a supplier, at the end of the day before the period.
    pub opening_balance: Money,
    /// What was posted, by date and journal. Allocations are no lines; a void is a line of its own date.
    pub lines: Vec<StatementLine>,
    /// The balance of the last line: what is owed at the end of the period.
    pub closing_balance: Money,
    /// What makes up the closing balance, oldest first.
    pub outstanding: Vec<AgedDocument>,
    /// The closing balance by how long it is overdue at the end of the period.
    pub ageing: AgedAmounts,
}

/// A line of a statement.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = line_example)]
pub struct StatementLine {
    /// Its date.
    pub date: Date,
    /// What it is: `reversal` of what was voided.
    #[serde(rename = "type")]
    #[schema(schema_with = source_type)]
    pub source_type: &'static str,
    /// What is behind it; null for other journals.
    #[schema(schema_with = document_type, required)]
    pub document_type: Option<&'static str>,
    /// The invoice, credit note, receipt, payment or refund behind it.
    #[schema(required)]
    pub document_id: Option<Id>,
    /// Its journal.
    pub journal_id: Id,
    /// The number of what is behind it, else of the journal.
    #[schema(required)]
    pub number: Option<String>,
    /// The caller's reference of it, or the supplier's.
    #[schema(required)]
    pub reference: Option<String>,
    /// When an invoice is to be paid.
    #[schema(required)]
    pub due_date: Option<Date>,
    /// As posted to the control account.
    pub debit: Money,
    /// As posted to the control account.
    pub credit: Money,
    /// The cash of a receipt, payment or refund.
    #[schema(required)]
    pub cash: Option<Money>,
    /// What was withheld under CIS beside it: with the cash, all that was settled.
    #[schema(required)]
    pub cis: Option<Money>,
    /// What is owed with this line.
    pub balance: Money,
}

/// The schema of what made a journal.
pub(super) fn source_type() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(SourceType::ALL.map(SourceType::as_str)))
}

fn document_type() -> ObjectBuilder {
    let documents = DocumentKind::ALL.into_iter().map(DocumentKind::as_str);
    let settlements = SettlementKind::ALL.into_iter().map(SettlementKind::as_str);
    let words = documents.chain(settlements).map(Value::from).chain([Value::Null]);
    let text_or_null = [Type::String, Type::Null].into_iter().collect::<SchemaType>();
    ObjectBuilder::new().schema_type(text_or_null).enum_values(Some(words))
}

impl Statement {
    /// The statement of a period.
    pub fn compute(rows: &StatementRows, period: Period) -> Self {
        let side = rows.open.side;
        let in_direction = |amount: Pence| match side {
            ContactKind::Customer => amount,
            ContactKind::Supplier => -amount,
        };
        let opening = in_direction(rows.opening);
        let mut balance = opening;
        let lines = rows.lines.iter().map(|line| {
            balance += in_direction(line.debit - line.credit);
            line.printed(balance)
        });
        let lines = lines.collect();
        let items: Vec<_> = rows.open.items.iter().collect();
        let (outstanding, ageing) = age(side, &items, period.last, AgeBy::DueDate);
        Self {
            contact: rows.contact.clone(),
            opening_balance: opening.into(),
            lines,
            closing_balance: balance.into(),
            outstanding,
            ageing,
        }
    }
}

impl Tabulated<Period> for Statement {
    const IS_ACCRUAL: bool = false;

    fn tables(&self, period: Period) -> ReportTables {
        let outstanding = self.outstanding.iter().map(|one| ReportRow::line("outstanding", one.cells().into()));
        let at = format!("Outstanding at {}", period.last.written_out());
        let ageing = vec![ReportRow::line("ageing", self.ageing.cells().into())];
        ReportTables {
            subject: Some(self.contact.name.clone()),
            parts: vec![
                self.account(),
                ReportPart::headed(at, AgedDocument::columns().into(), outstanding.collect()),
                ReportPart::headed("By age", AgedAmounts::columns().into(), ageing),
            ],
            notes: Vec::new(),
        }
    }
}

impl Statement {
    /// The lines between the two balances.
    fn account(&self) -> ReportPart {
        // Cash stands beside what CIS withheld, which most contacts have nothing of.
        let is_cis = self.lines.iter().any(|line| line.cis.is_some_and(|cis| cis != Money::default()));
        let columns = vec![
            ReportColumn::mark("date", "Date"),
            ReportColumn::text("type", "Type"),
            ReportColumn::unprinted("document_type"),
            ReportColumn::unprinted("document_id"),
            ReportColumn::unprinted("journal_id"),
            ReportColumn::mark("number", "Number"),
            ReportColumn::text("reference", "Reference"),
            ReportColumn::mark("due_date", "Due"),
            ReportColumn::figure("debit", "Debit"),
            ReportColumn::figure("credit", "Credit"),
            ReportColumn::figure("cash", "Cash").printed_if(is_cis),
            ReportColumn::figure("cis", "CIS").printed_if(is_cis),
            ReportColumn::figure("balance", "Balance"),
        ];
        let balance = |name: &str, balance: Money| {
            let between = columns.len().saturating_sub(3);
            let cells = [ReportCell::Empty, name.into()].into_iter();
            cells.chain(std::iter::repeat_n(ReportCell::Empty, between)).chain([balance.into()]).collect()
        };
        let opening = ReportRow::line("opening_balance", balance("Opening balance", self.opening_balance));
        let closing = ReportRow::total("closing_balance", balance("Closing balance", self.closing_balance));
        let lines = self.lines.iter().map(|line| ReportRow::line("lines", line.cells()));
        let rows = std::iter::once(opening).chain(lines).chain([closing]).collect();
        ReportPart::new(columns, rows)
    }
}

impl StatementLine {
    fn cells(&self) -> Vec<ReportCell> {
        let side = |amount: Money| ReportCell::Side(Pence(amount.0));
        vec![
            self.date.into(),
            ReportCell::Word(self.source_type),
            self.document_type.map_or(ReportCell::Empty, ReportCell::Word),
            self.document_id.into(),
            self.journal_id.into(),
            self.number.as_deref().into(),
            self.reference.as_deref().into(),
            self.due_date.into(),
            side(self.debit),
            side(self.credit),
            self.cash.into(),
            self.cis.into(),
            self.balance.into(),
        ]
    }
}

impl PostedStatementLine {
    fn printed(&self, balance: Pence) -> StatementLine {
        let is_void = self.source_type == SourceType::Reversal;
        let (document_type, document_id, due_date, cash) = match self.source {
            StatementSource::Document(kind, id, due_date) => {
                (Some(kind.as_str()), Some(id), due_date.filter(|_| !is_void), None)
            }
            StatementSource::Settlement(kind, id, cash) => (Some(kind.as_str()), Some(id), None, Some(cash)),
            StatementSource::Journal => (None, None, None, None),
        };
        StatementLine {
            date: self.date,
            source_type: self.source_type.as_str(),
            document_type,
            document_id: document_id.map(Id),
            journal_id: Id(self.journal_id),
            number: self.number.clone(),
            reference: self.reference.clone(),
            due_date,
            debit: self.debit.into(),
            credit: self.credit.into(),
            cash: cash.map(Money::from),
            cis: cash.map(|cash| ((self.debit - self.credit).abs() - cash).into()),
            balance: balance.into(),
        }
    }
}

fn line_example() -> Value {
    json!({
        "date": "2026-01-14", "type": "sales_invoice", "document_type": "sales_invoice", "document_id": 31,
        "journal_id": 9, "number": "INV-0103", "reference": "PO 8812", "due_date": "2026-02-13", "debit": 3668.12,
        "credit": 0.00, "cash": null, "cis": null, "balance": 3668.12
    })
}

fn example() -> Value {
    json!({
        "contact": { "id": 3, "kind": "customer", "name": "Brightwell School", "reference": null, "is_archived": false },
        "opening_balance": 0.00,
        "lines": [
            line_example(),
            {
                "date": "2026-02-02", "type": "sales_credit_note", "document_type": "sales_credit_note", "document_id": 32,
                "journal_id": 14, "number": "SCN-0002", "reference": null, "due_date": null, "debit": 0.00,
                "credit": 24.08, "cash": null, "cis": null, "balance": 3644.04
            },
            {
                "date": "2026-03-20", "type": "customer_receipt", "document_type": "customer_receipt", "document_id": 12,
                "journal_id": 40, "number": "RCP-00012", "reference": null, "due_date": null, "debit": 0.00,
                "credit": 200.00, "cash": 200.00, "cis": 0.00, "balance": 3444.04
            }
        ],
        "closing_balance": 3444.04, "outstanding": documents_example(), "ageing": ageing_example()
    })
}
