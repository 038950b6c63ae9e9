//! What customers owe us, or what we owe suppliers, by how long it is overdue.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::{AsOf, ReportDays};
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::{Money, Pence};

/// The date from which an invoice ages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgeBy {
    /// The day it is due.
    DueDate,
    /// Its own date.
    InvoiceDate,
}

impl AgeBy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::DueDate, Self::InvoiceDate];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DueDate => "due_date",
            Self::InvoiceDate => "invoice_date",
        }
    }

    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

impl Serialize for AgeBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The day, and what the ages count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AgeingParameters {
    /// The day.
    #[serde(flatten)]
    pub as_of: AsOf,
    /// What the ages count from.
    pub age_by: AgeBy,
    /// Nobody but this contact.
    pub contact_id: Option<Id>,
}

impl ReportDays for AgeingParameters {
    fn days(self) -> Vec<Date> {
        self.as_of.days()
    }

    fn last(self) -> Date {
        self.as_of.date
    }

    fn caption(self) -> String {
        let counted = match self.age_by {
            AgeBy::DueDate => "the due date",
            AgeBy::InvoiceDate => "the invoice date",
        };
        format!("{}, aged by {counted}", self.as_of.caption())
    }
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgedItemKind {
    /// An invoice or credit note.
    Document(DocumentKind),
    /// A receipt, payment or refund.
    Settlement(SettlementKind),
    /// A line that neither stands behind, by its journal.
    Journal,
}

impl AgedItemKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Document(kind) => kind.as_str(),
            Self::Settlement(kind) => kind.as_str(),
            Self::Journal => "journal",
        }
    }
}

/// An item of debtors or creditors as it stood at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgedItem {
    /// What it is.
    pub kind: AgedItemKind,
    /// The document, settlement or journal.
    pub id: i64,
    /// Its number.
    pub number: Option<String>,
    /// With whom, by id and name.
    pub contact: Option<(i64, String)>,
    /// Its date.
    pub date: Date,
    /// When an invoice is to be paid.
    pub due_date: Option<Date>,
    /// Of a line debits less credits, else more than nothing.
    pub amount: Pence,
    /// What was settled of it; nothing of a line.
    pub settled: Pence,
}

/// The items that may be open at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgedRows {
    /// Whose: customers' or suppliers'.
    pub side: ContactKind,
    /// The items.
    pub items: Vec<AgedItem>,
    /// What is on the control account, debits less credits: all, or what is the contact's.
    pub control_balance: Pence,
}

/// Debtors or creditors by age.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = example)]
pub struct AgedBalances {
    /// By name, then id; lines without a contact last.
    pub rows: Vec<AgedRow>,
    /// The sums of the rows.
    pub totals: AgedAmounts,
    /// What is on the control account: with `contact_id`, what is theirs.
    pub control_account_balance: Money,
    /// The total less the balance: 0.00.
    pub difference: Money,
}

/// A contact with what is open, by age.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgedRow {
    /// Null for lines without a contact.
    #[schema(required)]
    pub contact_id: Option<Id>,
    /// Their name today; `Unassigned` without a contact.
    pub name: String,
    /// Not overdue.
    pub current: Money,
    /// Overdue for 1 to 30 days.
    pub days_1_30: Money,
    /// Overdue for 31 to 60 days.
    pub days_31_60: Money,
    /// Overdue for 61 to 90 days.
    pub days_61_90: Money,
    /// Overdue for more.
    pub days_over_90: Money,
    /// Credit notes, receipts or payments, and refunds, as far as they are not allocated: negative when it is the contact's.
    pub unallocated: Money,
    /// The sum.
    pub total: Money,
    /// What makes up the row: the sum of `outstanding` is the total.
    pub documents: Vec<AgedDocument>,
}

/// Sums by age.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = amounts_example)]
pub struct AgedAmounts {
    /// Not overdue.
    pub current: Money,
    /// Overdue for 1 to 30 days.
    pub days_1_30: Money,
    /// Overdue for 31 to 60 days.
    pub days_31_60: Money,
    /// Overdue for 61 to 90 days.
    pub days_61_90: Money,
    /// Overdue for more.
    pub days_over_90: Money,
    /// Credit notes, receipts or payments, and refunds, as far as they are not allocated.
    pub unallocated: Money,
    /// The sum.
    pub total: Money,
}

/// An item with what is open of it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = document_example)]
pub struct AgedDocument {
    /// What it is; `journal` for a line that no document or settlement stands behind.
    #[schema(schema_with = document_type)]
    pub document_type: &'static str,
    /// The document, settlement or journal.
    pub id: Id,
    /// Its number.
    #[schema(required)]
    pub number: Option<String>,
    /// Its date.
    pub date: Date,
    /// When it is to be paid; of a line the date. Null for what is unallocated.
    #[schema(required)]
    pub due_date: Option<Date>,
    /// The days since it was due, or with `age_by=invoice_date` since its date; below 1 when it is not overdue. Null for what
    /// is unallocated.
    #[schema(required)]
    pub days_overdue: Option<i32>,
    /// What it was; negative when it is the contact's.
    pub amount: Money,
    /// What is open of it at the end of the day.
    pub outstanding: Money,
    /// The column that it is in.
    #[schema(schema_with = bucket)]
    pub bucket: &'static str,
}

fn document_type() -> ObjectBuilder {
    let documents = DocumentKind::ALL.map(|kind| AgedItemKind::Document(kind).as_str());
    let settlements = SettlementKind::ALL.map(|kind| AgedItemKind::Settlement(kind).as_str());
    let words = documents.into_iter().chain(settlements).chain([AgedItemKind::Journal.as_str()]);
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
}

fn bucket() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Bucket::ALL.map(Bucket::as_str)))
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bucket {
    Current,
    Days1To30,
    Days31To60,
    Days61To90,
    DaysOver90,
    Unallocated,
}

impl Bucket {
    const ALL: [Self; 6] =
        [Self::Current, Self::Days1To30, Self::Days31To60, Self::Days61To90, Self::DaysOver90, Self::Unallocated];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Days1To30 => "days_1_30",
            Self::Days31To60 => "days_31_60",
            Self::Days61To90 => "days_61_90",
            Self::DaysOver90 => "days_over_90",
            Self::Unallocated => "unallocated",
        }
    }

    /// That of what has been overdue for some days.
    const fn of(days_overdue: i32) -> Self {
        match days_overdue {
            ..=0 => Self::Current,
            1..=30 => Self::Days1To30,
            31..=60 => Self::Days31To60,
            61..=90 => Self::Days61To90,
            91.. => Self::DaysOver90,
        }
    }
}

impl AgedAmounts {
    fn column(&mut self, bucket: Bucket) -> &mut Money {
        match bucket {
            Bucket::Current => &mut self.current,
            Bucket::Days1To30 => &mut self.days_1_30,
            Bucket::Days31To60 => &mut self.days_31_60,
            Bucket::Days61To90 => &mut self.days_61_90,
            Bucket::DaysOver90 => &mut self.days_over_90,
            Bucket::Unallocated => &mut self.unallocated,
        }
    }

    /// Adds what is open of an item.
    fn add(&mut self, bucket: Bucket, outstanding: Pence) {
        let column = self.column(bucket);
        *column = Money(column.0 + outstanding.0);
        self.total = Money(self.total.0 + outstanding.0);
    }
}

impl AgedItem {
    /// 1 when it adds to what is owed, −1 when it takes off it.
    const fn sign(&self, side: ContactKind) -> i64 {
        match (self.kind, side) {
            (AgedItemKind::Document(kind), _) if kind.is_credit_note() => -1,
            (AgedItemKind::Settlement(kind), _) if !kind.is_refund() => -1,
            (AgedItemKind::Journal, ContactKind::Supplier) => -1,
            _ => 1,
        }
    }

    /// The item at the end of a day; none when nothing is open.
    fn aged(&self, side: ContactKind, date: Date, age_by: AgeBy) -> Option<(Bucket, AgedDocument)> {
        let sign = self.sign(side);
        let amount = Pence(self.amount.0 * sign);
        let outstanding = amount - Pence(self.settled.0 * sign);
        if outstanding.is_zero() {
            return None;
        }
        // A line that adds to what is owed ages like an invoice that is due on its day.
        let due_date = match self.kind {
            AgedItemKind::Document(kind) if kind.is_credit_note() => None,
            AgedItemKind::Document(_) => Some(self.due_date.unwrap_or(self.date)),
            AgedItemKind::Journal if amount.is_positive() => Some(self.date),
            AgedItemKind::Settlement(_) | AgedItemKind::Journal => None,
        };
        let days_overdue = due_date.map(|due_date| match age_by {
            AgeBy::DueDate => date - due_date,
            AgeBy::InvoiceDate => date - self.date,
        });
        let bucket = days_overdue.map_or(Bucket::Unallocated, Bucket::of);
        let document = AgedDocument {
            document_type: self.kind.as_str(),
            id: Id(self.id),
            number: self.number.clone(),
            date: self.date,
            due_date,
            days_overdue,
            amount: amount.into(),
            outstanding: outstanding.into(),
            bucket: bucket.as_str(),
        };
        Some((bucket, document))
    }
}

/// What is open of some items, oldest first, and its sums by age.
pub(super) fn age(
    side: ContactKind,
    items: &[&AgedItem],
    date: Date,
    age_by: AgeBy,
) -> (Vec<AgedDocument>, AgedAmounts) {
    let mut amounts = AgedAmounts::default();
    let aged = items.iter().filter_map(|item| item.aged(side, date, age_by));
    let mut documents: Vec<AgedDocument> = aged
        .map(|(bucket, document)| {
            amounts.add(bucket, Pence(document.outstanding.0));
            document
        })
        .collect();
    // Two lines of one journal differ in what is open.
    documents.sort_by_key(|document| (document.date, document.document_type, document.id.0, document.outstanding.0));
    (documents, amounts)
}

impl AgedBalances {
    /// The name of the row of lines without a contact.
    pub const UNASSIGNED: &str = "Unassigned";

    /// What is open at the end of a day.
    pub fn compute(rows: &AgedRows, parameters: AgeingParameters) -> Self {
        let mut by_contact: BTreeMap<(&str, i64), Vec<&AgedItem>> = BTreeMap::new();
        let mut unassigned = Vec::new();
        for item in &rows.items {
            match &item.contact {
                Some((id, name)) => by_contact.entry((name, *id)).or_default().push(item),
                None => unassigned.push(item),
            }
        }
        let of_contacts = by_contact.into_iter().map(|(contact, items)| (Some(contact), items));
        let aged = of_contacts.chain([(None, unassigned)]).map(|(contact, items)| {
            let (documents, amounts) = age(rows.side, &items, parameters.as_of.date, parameters.age_by);
            row(contact, amounts, documents)
        });
        let aged: Vec<AgedRow> = aged.filter(|row| !row.documents.is_empty()).collect();
        let sum = |figure: fn(&AgedRow) -> Money| Money(aged.iter().map(|row| figure(row).0).sum());
        let totals = AgedAmounts {
            current: sum(|row| row.current),
            days_1_30: sum(|row| row.days_1_30),
            days_31_60: sum(|row| row.days_31_60),
            days_61_90: sum(|row| row.days_61_90),
            days_over_90: sum(|row| row.days_over_90),
            unallocated: sum(|row| row.unallocated),
            total: sum(|row| row.total),
        };
        let control = match rows.side {
            ContactKind::Customer => rows.control_balance,
            ContactKind::Supplier => -rows.control_balance,
        };
        Self {
            rows: aged,
            totals,
            control_account_balance: control.into(),
            difference: (Pence(totals.total.0) - control).into(),
        }
    }
}

impl AgedAmounts {
    /// The columns of its figures.
    pub(super) fn columns() -> [ReportColumn; 7] {
        [
            ReportColumn::figure("current", "Current"),
            ReportColumn::figure("days_1_30", "1\u{2013}30 days"),
            ReportColumn::figure("days_31_60", "31\u{2013}60 days"),
            ReportColumn::figure("days_61_90", "61\u{2013}90 days"),
            ReportColumn::figure("days_over_90", "Over 90 days"),
            ReportColumn::figure("unallocated", "Unallocated"),
            ReportColumn::figure("total", "Total"),
        ]
    }

    /// Its cells in them.
    pub(super) fn cells(&self) -> [ReportCell; 7] {
        [
            self.current,
            self.days_1_30,
            self.days_31_60,
            self.days_61_90,
            self.days_over_90,
            self.unallocated,
            self.total,
        ]
        .map(ReportCell::from)
    }
}

impl AgedRow {
    fn amounts(&self) -> AgedAmounts {
        AgedAmounts {
            current: self.current,
            days_1_30: self.days_1_30,
            days_31_60: self.days_31_60,
            days_61_90: self.days_61_90,
            days_over_90: self.days_over_90,
            unallocated: self.unallocated,
            total: self.total,
        }
    }
}

impl AgedDocument {
    /// The columns of items.
    pub(super) fn columns() -> [ReportColumn; 9] {
        [
            ReportColumn::text("document_type", "Type"),
            ReportColumn::unprinted("id"),
            ReportColumn::mark("number", "Number"),
            ReportColumn::mark("date", "Date"),
            ReportColumn::mark("due_date", "Due"),
            ReportColumn::figure("days_overdue", "Days overdue"),
            ReportColumn::figure("amount", "Amount"),
            ReportColumn::figure("outstanding", "Outstanding"),
            ReportColumn::mark("bucket", "Age"),
        ]
    }

    /// Its cells in them.
    pub(super) fn cells(&self) -> [ReportCell; 9] {
        [
            ReportCell::Word(self.document_type),
            self.id.into(),
            self.number.as_deref().into(),
            self.date.into(),
            self.due_date.into(),
            self.days_overdue.map_or(ReportCell::Empty, |days| ReportCell::DaysOverdue(days.into())),
            self.amount.into(),
            self.outstanding.into(),
            ReportCell::Word(self.bucket),
        ]
    }
}

impl Tabulated<AgeingParameters> for AgedBalances {
    fn tables(&self, _: AgeingParameters) -> ReportTables {
        let contact = [ReportColumn::unprinted("contact_id"), ReportColumn::text("name", "Name")];
        let cells = |id: ReportCell, name: &str, amounts: [ReportCell; 7]| -> Vec<ReportCell> {
            [id, name.into()].into_iter().chain(amounts).collect()
        };
        let of_contact =
            |row: &AgedRow| ReportRow::line("rows", cells(row.contact_id.into(), &row.name, row.amounts().cells()));
        let mut rows: Vec<ReportRow> = self.rows.iter().map(of_contact).collect();
        rows.push(ReportRow::total("totals", cells(ReportCell::Empty, "Total", self.totals.cells())));
        let total = |amount: Money| {
            let nothing = || ReportCell::Empty;
            [nothing(), nothing(), nothing(), nothing(), nothing(), nothing(), amount.into()]
        };
        let control = cells(ReportCell::Empty, "Balance of the control account", total(self.control_account_balance));
        rows.push(ReportRow::line("control_account_balance", control));
        rows.push(ReportRow::line("difference", cells(ReportCell::Empty, "Difference", total(self.difference))));
        let columns = contact.into_iter().chain(AgedAmounts::columns()).collect();
        ReportTables::of(vec![ReportPart::new(columns, rows), self.documents()])
    }
}

impl AgedBalances {
    /// The items by contact.
    fn documents(&self) -> ReportPart {
        let mut rows = Vec::new();
        for row in &self.rows {
            rows.push(ReportRow::heading(row.name.clone()));
            for document in &row.documents {
                let contact = [row.contact_id.into(), row.name.as_str().into()];
                rows.push(ReportRow::line("documents", contact.into_iter().chain(document.cells()).collect()));
            }
        }
        let contact = [ReportColumn::unprinted("contact_id"), ReportColumn::unprinted("name")];
        ReportPart::headed("Documents", contact.into_iter().chain(AgedDocument::columns()).collect(), rows)
    }
}

fn row(contact: Option<(&str, i64)>, amounts: AgedAmounts, documents: Vec<AgedDocument>) -> AgedRow {
    AgedRow {
        contact_id: contact.map(|(_, id)| Id(id)),
        name: contact.map_or(AgedBalances::UNASSIGNED, |(name, _)| name).to_owned(),
        current: amounts.current,
        days_1_30: amounts.days_1_30,
        days_31_60: amounts.days_31_60,
        days_61_90: amounts.days_61_90,
        days_over_90: amounts.days_over_90,
        unallocated: amounts.unallocated,
        total: amounts.total,
        documents,
    }
}

fn document_example() -> Value {
    json!({
        "document_type": "sales_invoice", "id": 31, "number": "INV-0103", "date": "2026-01-14",
        "due_date": "2026-02-13", "days_overdue": 46, "amount": 3668.12, "outstanding": 3644.04, "bucket": "days_31_60"
    })
}

fn amounts_example() -> Value {
    json!({
        "current": 0.00, "days_1_30": 0.00, "days_31_60": 3644.04, "days_61_90": 0.00, "days_over_90": 0.00,
        "unallocated": -200.00, "total": 3444.04
    })
}

/// The items of the examples.
pub(super) fn documents_example() -> Value {
    json!([
        document_example(),
        {
            "document_type": "customer_receipt", "id": 12, "number": "RCP-00012", "date": "2026-03-20",
            "due_date": null, "days_overdue": null, "amount": -200.00, "outstanding": -200.00, "bucket": "unallocated"
        }
    ])
}

/// The sums of the examples.
pub(super) fn ageing_example() -> Value {
    amounts_example()
}

fn example() -> Value {
    let mut row = json!({ "contact_id": 3, "name": "Brightwell School" });
    if let (Some(row), Value::Object(amounts)) = (row.as_object_mut(), amounts_example()) {
        row.extend(amounts);
        row.insert("documents".to_owned(), documents_example());
    }
    json!({ "rows": [row], "totals": amounts_example(), "control_account_balance": 3444.04, "difference": 0.00 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_begin_at_1_31_61_and_91_days() {
        for (days, bucket) in [
            (-400, "current"),
            (0, "current"),
            (1, "days_1_30"),
            (30, "days_1_30"),
            (31, "days_31_60"),
            (60, "days_31_60"),
            (61, "days_61_90"),
            (90, "days_61_90"),
            (91, "days_over_90"),
        ] {
            assert_eq!(Bucket::of(days).as_str(), bucket, "{days}");
        }
    }
}
