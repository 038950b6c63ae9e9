//! Decides the closing and reopening of financial years.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::Effect;
use crate::domain::books::facts::LoadedJournal;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::financial_year::FinancialYearView;
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::journal::{Journal, Target};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::year_end;
use crate::domain::ledger::year_end::{ClosedYear, ClosingBalances};

impl BooksTransaction<'_> {
    pub(crate) fn close_year(
        &mut self,
        request: &CommandRequest,
        last: Date,
        transfers: &[i64],
    ) -> Result<CommandResult, Rejection> {
        let balances = self.closing_balances(last)?;
        require_version(request, self.books.organisation.version)?;
        let transfers: Vec<_> = transfers.iter().copied().map(AccountId).collect();
        let closed = self.closed_years();
        let journal = year_end::close(&self.books.books(), &closed, &balances, &transfers, self.today)?;
        let transferred = journal.as_ref().map_or(Pence::ZERO, |journal| self.transferred(journal));
        let journal_id = journal.map(|journal| {
            let organisation = self.organisation();
            let view = self.write_journal(request, journal);
            self.effects.count(organisation, "journal", "posted", 1);
            let id = view.id;
            // A later command of the group may reopen the year.
            self.facts.journals.insert(id, LoadedJournal { organisation, view, vat: Vec::new() });
            id
        });
        let lock_date = self.books.lock_date();
        let year = ClosedYear { year: balances.year, journal_id, previous_lock_date: lock_date };
        let closed = closed.into_iter().chain([year]).collect();
        self.put_closed_years(closed, lock_date.max(Some(last)), &format!("Financial year to {last} closed"));
        Ok(self.year_result(&balances, journal_id, transferred))
    }

    pub(crate) fn reopen_year(&mut self, request: &CommandRequest, last: Date) -> Result<CommandResult, Rejection> {
        let balances = self.closing_balances(last)?;
        require_version(request, self.books.organisation.version)?;
        let mut closed = self.closed_years();
        let known = closed.iter().find(|known| known.year.last == last);
        let journal_id = known.and_then(|known| known.journal_id);
        let journal = journal_id.and_then(|id| self.facts.journals.get(&id)).map(as_posted).transpose()?;
        if journal.is_none() && journal_id.is_some() {
            return Err(Rejection::Unknown);
        }
        let (reversal, lock_date) = year_end::reopen(&closed, last, journal.as_ref(), self.books.lock_date())?;
        if let Some(reversal) = reversal {
            self.reverse(request, reversal, None);
        }
        closed.retain(|known| known.year.last != last);
        self.put_closed_years(closed, lock_date, &format!("Financial year to {last} reopened"));
        Ok(self.year_result(&balances, None, Pence::ZERO))
    }

    /// The closed years, in their order.
    pub(crate) fn closed_years(&self) -> Vec<ClosedYear> {
        self.facts.closed_years.get(&self.organisation()).cloned().unwrap_or_default()
    }

    /// The balances of the year with this last day.
    fn closing_balances(&self, last: Date) -> Result<ClosingBalances, Rejection> {
        let year = self.books.years.year_of(last);
        let loaded = self.facts.closing_balances.get(&(self.organisation(), last));
        loaded.filter(|loaded| loaded.year == year && year.last == last).cloned().ok_or(Rejection::Unknown)
    }

    /// What a closing journal takes from retained earnings for other accounts.
    fn transferred(&self, journal: &Journal) -> Pence {
        let days = self.counting_days(journal, journal.entry_date);
        let control = self.books.control_id(Role::RetainedEarnings);
        let lines = journal.lines.iter().zip(days).filter(|(_, day)| *day != year_end::NO_DAY);
        let own = lines.filter(|(line, _)| line.target == Target::Account(AccountId(control)));
        own.map(|(line, _)| line.amount).sum()
    }

    /// Sets the closed years and the lock date, with an entry of the history.
    fn put_closed_years(&mut self, closed: Vec<ClosedYear>, lock_date: Option<Date>, summary: &str) {
        let organisation = self.organisation();
        let latest = |closed: &[ClosedYear]| closed.last().map(|known| known.year.last);
        let before = self.books.organisation.lock_audit_fields().date("closed_through", latest(&self.closed_years()));
        let has_moved = self.books.lock_date() != lock_date;
        let row = self.books.change_organisation();
        row.lock_date = lock_date;
        row.version += 1;
        row.updated_at_ms = self.now_ms;
        let after = row.lock_audit_fields().date("closed_through", latest(&closed));
        if has_moved {
            let id = self.identifiers.next(IdSequence::PeriodLockChange);
            self.record_lock_change(id, lock_date, Some(summary));
        }
        self.facts.closed_years.insert(organisation, closed);
        self.effects.push(organisation, Effect::ClosedYears);
        let on = (Resource::Organisation, organisation);
        self.record_change(ChangeAction::Lock, on, summary, Some(before), Some(after));
    }

    fn year_result(&self, balances: &ClosingBalances, journal_id: Option<i64>, transferred: Pence) -> CommandResult {
        let books = self.books.books();
        let closed = self.closed_years();
        CommandResult::FinancialYear(Box::new(FinancialYearView {
            organisation_id: self.organisation(),
            year: balances.year,
            is_closed: closed.iter().any(|known| known.year.last == balances.year.last),
            net_profit: balances.net_profit(&books),
            retained_earnings: balances.retained_earnings(&books) - transferred,
            journal_id,
        }))
    }
}
