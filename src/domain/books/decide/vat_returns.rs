//! Decides the recording of VAT returns, and that it is taken back.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::Effect;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::vat_adjustment::VatAdjustmentRecord;
use crate::domain::books::records::vat_return::{VatReturnInput, VatReturnRecord};
use crate::domain::books::request::CommandResult;
use crate::domain::date::Date;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat_return::{
    AdjustmentMovement, Declared, FlatRates, VatReturnFigures, VatTotal, movements,
};
use crate::domain::reports::Period;

/// What a day that ends no VAT period is refused with.
pub const NO_PERIOD_END: &str = "must be the last day of a VAT period of the organisation";

/// What a period that goes on is refused with.
pub const NOT_OVER: &str = "must be over: a return is made after its period";

/// What another day of filing is refused with.
pub const NOT_FILED_THEN: &str = "must be after the period and not in the future";

impl BooksTransaction<'_> {
    pub(crate) fn record_vat_return(&mut self, input: &VatReturnInput) -> Result<CommandResult, Rejection> {
        let period = self.vat_period_ending(input.period_end)?;
        if period.last >= self.today {
            return Err(Refusal::field("period_end", NOT_OVER).into());
        }
        if input.filed_on.is_some_and(|filed| filed <= period.last || filed > self.today) {
            return Err(Refusal::field("filed_on", NOT_FILED_THEN).into());
        }
        let organisation = self.organisation();
        let recorded = || self.facts.vat_returns.values().filter(|(of, _)| *of == organisation).map(|(_, row)| row);
        if let Some(known) = recorded().filter(|known| known.overlaps(period)).min_by_key(|known| known.period.first) {
            return Err(Refusal::PeriodRecorded { existing_id: known.id }.into());
        }
        let totals = self.vat_totals_up_to(period.last);
        let earlier = recorded().filter(|known| known.period.last < period.first);
        let earlier: Vec<_> = earlier.map(|known| (known.figures, self.declared(&totals, known.period))).collect();
        let figures = VatReturnFigures::of(self.declared(&totals, period), earlier);
        let row = VatReturnRecord {
            id: self.identifiers.next(IdSequence::VatReturn),
            period,
            scheme: self.books.vat.on(period.last).as_str().to_owned(),
            figures,
            filed_on: input.filed_on,
            hmrc_receipt: input.hmrc_receipt.clone(),
            cursor: self.books.next_change,
            user_id: self.actor.user_id.0,
            key_prefix: self.actor.key_prefix.clone(),
            created_at_ms: self.now_ms,
        };
        let summary = format!("VAT return of {} to {} recorded", period.first, period.last);
        self.record_change(
            ChangeAction::Create,
            (Resource::VatReturn, row.id),
            summary,
            None,
            Some(row.audit_fields()),
        );
        self.effects.push(organisation, Effect::VatReturn(row.id));
        self.facts.vat_returns.insert(row.id, (organisation, row.clone()));
        Ok(CommandResult::VatReturn(Box::new(row)))
    }

    pub(crate) fn delete_vat_return(&mut self, id: i64) -> Result<CommandResult, Rejection> {
        let organisation = self.organisation();
        let found = self.facts.vat_returns.get(&id).filter(|(of, _)| *of == organisation);
        let (_, row) = found.cloned().ok_or(Rejection::Unknown)?;
        let summary = format!("VAT return of {} to {} is recorded no more", row.period.first, row.period.last);
        self.record_change(ChangeAction::Delete, (Resource::VatReturn, id), summary, Some(row.audit_fields()), None);
        self.facts.vat_returns.remove(&id);
        self.effects.push(organisation, Effect::VatReturnDeleted(id));
        Ok(CommandResult::Deleted(id))
    }

    /// The VAT period that ends on a day.
    fn vat_period_ending(&self, last: Date) -> Result<Period, Refusal> {
        let row = &self.books.organisation;
        let first = row.vat_periods().start_of(last).filter(|_| row.vat_registered);
        let first = first.ok_or_else(|| Refusal::field("period_end", NO_PERIOD_END))?;
        Ok(Period { first, last })
    }

    /// The sums that were loaded for a return that ends on a day, and the entries that commands of the same group made since.
    fn vat_totals_up_to(&self, last: Date) -> Vec<VatTotal> {
        let organisation = self.organisation();
        let mut totals = self.facts.vat_totals.get(&(organisation, last)).cloned().unwrap_or_default();
        totals.extend(self.effects.iter().filter_map(|(of, effect)| match effect {
            Effect::VatEntry(record) if *of == organisation => Some(VatTotal::from(&record.entry)),
            _ => None,
        }));
        totals
    }

    /// What a period declares now.
    fn declared(&self, totals: &[VatTotal], period: Period) -> Declared {
        let organisation = self.organisation();
        let is_within = |date: Date| period.first <= date && date <= period.last;
        let totals: Vec<VatTotal> = totals.iter().copied().filter(|total| is_within(total.date)).collect();
        let adjustments = self.facts.vat_adjustments.values().filter(|(of, _)| *of == organisation);
        let of = |(_, row): &(i64, VatAdjustmentRecord)| {
            movements(row.id, row.date, row.void_date, row.reason, &row.entries)
        };
        let adjustments: Vec<AdjustmentMovement> =
            adjustments.flat_map(of).filter(|movement| is_within(movement.date)).collect();
        Declared::of(&totals, &adjustments, &FlatRates::from(&*self.books.vat))
    }
}
