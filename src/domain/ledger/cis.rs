//! The Construction Industry Scheme: what is withheld from a bill, and how payments share it exactly.

use super::contact::CisRate;
use super::money::Pence;
use crate::domain::date::Date;
use crate::domain::ledger::document::{CisType, PricedLine};
use crate::domain::ledger::money::divide_round;

/// What a bill is under the scheme, fixed when it is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The rate.
    pub rate: CisRate,
    /// Work, without VAT: what is deducted from.
    pub labour_net: Pence,
    /// Materials, without VAT.
    pub materials_net: Pence,
    /// What is withheld in all.
    pub deduction: Pence,
}

impl Terms {
    /// The terms of a bill: VAT and materials are not deducted from.
    pub fn of(rate: CisRate, lines: &[PricedLine]) -> Self {
        let net = |kind| lines.iter().filter(|line| line.cis_type == kind).map(|line| line.amount.net).sum();
        let labour_net: Pence = net(CisType::Labour);
        let base = i128::from(labour_net.max(Pence::ZERO).0);
        let deduction = Pence::from_wide(divide_round(base * i128::from(rate.percent()), 100));
        Self { rate, labour_net, materials_net: net(CisType::Materials), deduction }
    }
}

/// What remains of a bill that is paid in parts, credit notes taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// The gross.
    pub gross: Pence,
    /// What is withheld of it in all.
    pub deduction: Pence,
    /// Cash paid so far.
    pub cash: Pence,
    /// What was settled by it, the withheld part included.
    pub settled: Pence,
}

impl Balance {
    /// What is still to be transferred.
    pub fn payable(&self) -> Pence {
        self.gross - self.deduction - self.cash
    }

    /// What is withheld from the next payment of `cash`: all cash so far settles `round(gross × cash / payable)`, so
    /// that the last payment completes both exactly. Nothing is withheld where earlier payments have had more taken off
    /// than their part, which a credit note that was taken back leaves behind.
    pub fn withheld_from(&self, cash: Pence) -> Pence {
        let settled = self.gross.proportion(self.cash + cash, self.gross - self.deduction);
        (settled - self.settled - cash).max(Pence::ZERO)
    }
}

/// A tax month: from the 6th of a month to the 5th of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaxMonth {
    last: Date,
}

impl TaxMonth {
    /// The tax month that ends on a day; none when no tax month does.
    pub const fn ending(last: Date) -> Option<Self> {
        let (_, _, day) = last.civil();
        if day == 5 { Some(Self { last }) } else { None }
    }

    /// The tax month of a day.
    pub fn of(date: Date) -> Self {
        let (_, _, day) = date.civil();
        let fifth = date.first_of_month() + 4;
        Self { last: if day <= 5 { fifth } else { fifth.months_later(1) } }
    }

    /// Its first day, a 6th.
    pub fn first(self) -> Date {
        self.last.months_later(-1) + 1
    }

    /// Its last day, a 5th.
    pub const fn last(self) -> Date {
        self.last
    }

    /// The day by which the monthly return is filed and the subcontractors have their statements (CIS340).
    pub fn return_due(self) -> Date {
        self.last + 14
    }

    /// The day by which what was withheld is paid electronically (CIS340).
    pub fn payment_due(self) -> Date {
        self.last + 17
    }
}

/// The part of a bill without VAT that its settled part stands for, for the monthly return.
pub fn net_of_settled(net: Pence, settled: Pence, gross: Pence) -> Pence {
    net.proportion(settled, gross)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::AccountId;
    use crate::domain::ledger::vat::{Split, VatCode};
    use proptest::prelude::*;

    #[test]
    fn nothing_is_given_back_of_what_was_withheld_before_a_credit_note_was_taken_back() {
        // All of the deduction was withheld while the bill was 555.23; without the credit note it is 1,775.90 again.
        let balance =
            Balance { gross: Pence(177_590), deduction: Pence(29_672), cash: Pence(25_851), settled: Pence(55_523) };
        assert_eq!(balance.withheld_from(Pence(11_336)), Pence(0));
        assert_eq!(balance.withheld_from(balance.payable()), Pence(0));
        assert_eq!(balance.settled + balance.payable(), balance.gross);
    }

    #[test]
    fn a_tax_month_runs_from_a_sixth_to_a_fifth() {
        let date = |text| Date::parse(text).unwrap();
        for (day, first, last) in [
            ("2026-04-05", "2026-03-06", "2026-04-05"),
            ("2026-04-06", "2026-04-06", "2026-05-05"),
            ("2025-12-31", "2025-12-06", "2026-01-05"),
            ("2024-02-29", "2024-02-06", "2024-03-05"),
            ("1900-01-01", "1899-12-06", "1900-01-05"),
        ] {
            let month = TaxMonth::of(date(day));
            assert_eq!((month.first(), month.last()), (date(first), date(last)), "{day}");
            assert_eq!(TaxMonth::ending(month.last()), Some(month));
        }
        let april = TaxMonth::ending(date("2026-04-05")).unwrap();
        assert_eq!((april.return_due(), april.payment_due()), (date("2026-04-19"), date("2026-04-22")));
        assert_eq!(TaxMonth::ending(date("2026-04-06")), None);
    }

    fn line(cis_type: CisType, net: i64) -> PricedLine {
        let net = Pence(net);
        let amount = Split { net, vat: VatCode::Standard.vat_on_net(net) };
        PricedLine {
            account_id: AccountId(1),
            account_key: "account_id",
            vat_code: VatCode::Standard,
            reverse_charge: None,
            has_standard_basis: false,
            amount,
            cis_type,
        }
    }

    #[test]
    fn the_deduction_is_on_labour_alone_and_not_on_vat() {
        let lines = [line(CisType::Labour, 220_000), line(CisType::Materials, 36_700), line(CisType::None, 100)];
        let standard = Terms::of(CisRate::Standard, &lines);
        assert_eq!((standard.labour_net, standard.materials_net), (Pence(220_000), Pence(36_700)));
        assert_eq!(standard.deduction, Pence(44_000));
        assert_eq!(Terms::of(CisRate::Higher, &lines).deduction, Pence(66_000));
        assert_eq!(Terms::of(CisRate::Gross, &lines).deduction, Pence::ZERO);
        assert_eq!(Terms::of(CisRate::Higher, &[line(CisType::Labour, -100)]).deduction, Pence::ZERO);
    }

    #[test]
    fn part_payments_share_the_deduction_exactly() {
        let mut bill =
            Balance { gross: Pence(230_400), deduction: Pence(30_000), cash: Pence::ZERO, settled: Pence::ZERO };
        assert_eq!(bill.payable(), Pence(200_400));
        let first = bill.withheld_from(Pence(70_000));
        assert_eq!((first, first + Pence(70_000)), (Pence(10_479), Pence(80_479)));
        bill.cash = Pence(70_000);
        bill.settled = Pence(80_479);
        let second = bill.withheld_from(Pence(130_400));
        assert_eq!((second, second + Pence(130_400)), (Pence(19_521), Pence(149_921)));
        assert_eq!(first + second, Pence(30_000));
    }

    #[test]
    fn the_net_of_a_part_payment_is_in_proportion() {
        assert_eq!(net_of_settled(Pence(192_000), Pence(80_479), Pence(230_400)), Pence(67_066));
        assert_eq!(net_of_settled(Pence(192_000), Pence(230_400), Pence(230_400)), Pence(192_000));
    }

    proptest! {
        /// I26: the parts withheld over the payments of a fully paid bill are its deduction, to the penny.
        #[test]
        fn a_fully_paid_bill_has_its_whole_deduction(
            labour in 1_i64..5_000_000,
            rest in 0_i64..5_000_000,
            higher in any::<bool>(),
            payments in prop::collection::vec(1_i64..2_000_000, 0..10),
        ) {
            let rate = if higher { CisRate::Higher } else { CisRate::Standard };
            let lines = [line(CisType::Labour, labour), line(CisType::Materials, rest)];
            let deduction = Terms::of(rate, &lines).deduction;
            let gross = lines.iter().map(|line| line.amount.gross()).sum();
            let mut bill = Balance { gross, deduction, cash: Pence::ZERO, settled: Pence::ZERO };
            let mut withheld = Pence::ZERO;
            for payment in payments.into_iter().map(Pence).chain([gross]) {
                let cash = payment.min(bill.payable());
                let part = bill.withheld_from(cash);
                prop_assert!(!part.is_negative());
                bill.cash += cash;
                bill.settled += cash + part;
                withheld += part;
            }
            prop_assert_eq!(withheld, deduction);
            prop_assert_eq!(bill.settled, gross);
        }
    }
}
