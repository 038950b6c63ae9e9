//! What every posting has to know of an organisation's books, and the checks every posting makes.

use super::account::{Account, AccountReference, Role};
use super::chart::Chart;
use super::ids::AccountId;
use super::journal::Target;
use super::period::{self};
use super::refusal::{Refusal, VatPosting};
use super::vat_scheme::{VatHistory, VatScheme};
use crate::domain::date::Date;

/// The facts of one organisation that postings share.
#[derive(Debug, Clone, Copy)]
pub struct Books<'a> {
    /// Its accounts.
    pub chart: &'a Chart,
    /// Its VAT schemes.
    pub vat: &'a VatHistory,
    /// The last day of the locked period.
    pub lock_date: Option<Date>,
}

impl<'a> Books<'a> {
    /// An account with an id that a body gives; it has to be of this organisation.
    pub fn account(&self, id: AccountId, field: impl FnOnce() -> String) -> Result<&'a Account, Refusal> {
        self.chart.get(id).ok_or_else(|| Refusal::UnknownReference { field: field(), id: id.0 })
    }

    /// The same for one that a body names by id or code; `field` makes the field from the key of the body.
    pub fn named_account(
        &self,
        name: &AccountReference,
        field: impl FnOnce(&'static str) -> String,
    ) -> Result<&'a Account, Refusal> {
        let field = || field(name.key());
        match name {
            AccountReference::Id(id) => self.account(*id, field),
            AccountReference::Code(code) => {
                let unknown = || Refusal::UnknownAccountCode { field: field(), code: code.clone() };
                self.chart.with_code(code).ok_or_else(unknown)
            }
        }
    }

    /// The VAT Control account, which must be there before VAT is posted.
    pub fn vat_control(&self, posting: VatPosting) -> Result<AccountId, Refusal> {
        let control = self.chart.with_role(&Role::VatControl);
        control.map(|account| account.id).ok_or(Refusal::VatControlRequired { posting })
    }

    /// The account with a role the rules post to themselves; made when there is none.
    pub fn control(&self, role: Role) -> Target {
        match self.chart.with_role(&role) {
            Some(account) => Target::Account(account.id),
            None => Target::FirstUse(role),
        }
    }

    /// Refuses a posting date in the locked period.
    pub fn require_open(&self, date: Date) -> Result<(), Refusal> {
        period::require_open(date, self.lock_date)
    }

    /// The VAT scheme of a document of this date.
    pub fn scheme_on(&self, date: Date) -> VatScheme {
        self.vat.on(date)
    }
}
