//! Recorded VAT returns: the record.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;
use crate::domain::ledger::vat_return::VatReturnFigures;
use crate::domain::reports::Period;

/// What was declared for a VAT period, as stored; never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatReturnRecord {
    /// Identifier.
    pub id: i64,
    /// The period.
    pub period: Period,
    /// The scheme at the end of the period: `standard`, `cash` or `flat_rate`.
    pub scheme: String,
    /// The boxes, and what had come late into earlier returns.
    pub figures: VatReturnFigures,
    /// When it was filed.
    pub filed_on: Option<Date>,
    /// What HMRC answered to it.
    pub hmrc_receipt: Option<String>,
    /// The position of its own entry in the history: its figures are of what came before.
    pub cursor: i64,
    /// Who recorded it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// When it was recorded.
    pub created_at_ms: i64,
}

impl VatReturnRecord {
    /// Whether it declares some day of a period.
    pub(crate) fn overlaps(&self, period: Period) -> bool {
        self.period.first <= period.last && period.first <= self.period.last
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        let boxes = &self.figures.own.boxes;
        AuditFields::new()
            .date("period_start", self.period.first)
            .date("period_end", self.period.last)
            .text("scheme", self.scheme.as_str())
            .money("box1", boxes.box1.0)
            .money("box2", boxes.box2.0)
            .money("box4", boxes.box4.0)
            .money("box6", boxes.box6.0)
            .money("box7", boxes.box7.0)
            .money("box8", boxes.box8.0)
            .money("box9", boxes.box9.0)
            .money("late_net_vat", self.figures.late.boxes.net().0)
            .date("filed_on", self.filed_on)
            .text("hmrc_receipt", self.hmrc_receipt.as_deref())
    }
}

/// A return to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatReturnInput {
    /// The last day of its period.
    pub period_end: Date,
    /// When it was filed.
    pub filed_on: Option<Date>,
    /// What HMRC answered to it.
    pub hmrc_receipt: Option<String>,
}
