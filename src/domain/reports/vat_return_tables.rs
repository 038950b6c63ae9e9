//! The VAT return as tables: the nine boxes, and below them what stands behind them.

use super::table::{ReportCell, ReportColumn, ReportPart, ReportRow, ReportTables, Tabulated};
use super::vat_return::{VatReturn, VatReturnParameters};
use super::vat_return_lines::{
    VatReturnAdjustment, VatReturnCode, VatReturnEntry, VatReturnLate, VatReturnSubmission, VatReturnWarning,
    WholePounds,
};
use super::{Period, ReportDays};
use crate::domain::date::Date;
use crate::domain::ledger::money::{Money, Pence};
use crate::domain::mail::pounds;

impl ReportDays for VatReturnParameters {
    fn days(self) -> Vec<Date> {
        self.period.days()
    }

    fn last(self) -> Date {
        self.period.last
    }

    fn caption(self) -> String {
        Period::caption(self.period)
    }
}

impl Tabulated<VatReturnParameters> for VatReturn {
    const IS_ACCRUAL: bool = false;

    fn tables(&self, _: VatReturnParameters) -> ReportTables {
        let mut parts = vec![self.boxes(), self.codes(), self.of_flat_rate(), self.of_adjustments(), self.late.table()];
        parts.extend([self.hmrc.table(), self.of_warnings()]);
        parts.extend(self.entries.as_deref().map(entries));
        ReportTables { subject: None, parts, notes: vec![self.summary()] }
    }
}

impl VatReturn {
    /// The boxes and what is paid.
    fn boxes(&self) -> ReportPart {
        let line = |section: &'static str, name: &str, amount: Money| {
            ReportRow::line(section, vec![name.into(), amount.into()])
        };
        let total = |section: &'static str, name: &str, amount: Money| {
            ReportRow::total(section, vec![name.into(), amount.into()])
        };
        let columns = vec![ReportColumn::text("name", "Box"), ReportColumn::figure("amount", "Amount")];
        ReportPart::new(
            columns,
            vec![
                line("box1", "1  VAT due on sales", self.box1),
                line("box2", "2  VAT due on acquisitions in Northern Ireland", self.box2),
                total("box3", "3  Total VAT due", self.box3),
                line("box4", "4  VAT reclaimed on purchases", self.box4),
                total("box5", "5  Net VAT to pay or to reclaim", self.box5),
                line("box6", "6  Sales without VAT", self.box6),
                line("box7", "7  Purchases without VAT", self.box7),
                line("box8", "8  Goods supplied to the EU from Northern Ireland", self.box8),
                line("box9", "9  Goods acquired from the EU in Northern Ireland", self.box9),
                total("net_vat", "Box 3 less box 4", self.net_vat),
            ],
        )
    }

    fn codes(&self) -> ReportPart {
        let columns = vec![
            ReportColumn::mark("side", "Side"),
            ReportColumn::mark("vat_code", "VAT code"),
            ReportColumn::mark("basis", "Basis"),
            ReportColumn::mark("reverse_charge", "Reverse charge"),
            ReportColumn::figure("net_amount", "Net"),
            ReportColumn::figure("vat_amount", "VAT"),
            ReportColumn::figure("count", "Entries"),
        ];
        let rows = self.by_code.iter().map(|row: &VatReturnCode| {
            let cells = vec![
                ReportCell::Word(row.side),
                row.vat_code.into(),
                ReportCell::Word(row.basis),
                row.reverse_charge.map_or(ReportCell::Empty, ReportCell::Word),
                row.net_amount.into(),
                row.vat_amount.into(),
                ReportCell::Count(row.count),
            ];
            ReportRow::line("by_code", cells)
        });
        ReportPart::headed("By VAT code", columns, rows.collect())
    }

    fn of_flat_rate(&self) -> ReportPart {
        let columns = vec![
            ReportColumn::figure("percent", "Percentage"),
            ReportColumn::figure("turnover", "Turnover"),
            ReportColumn::figure("vat", "VAT"),
            ReportColumn::figure("surplus", "Surplus"),
        ];
        let rows = self.flat_rate.iter().map(|one| {
            let cells = vec![one.percent.into(), one.turnover.into(), one.vat.into(), one.surplus.into()];
            ReportRow::line("flat_rate", cells)
        });
        ReportPart::headed("Flat rate", columns, rows.collect())
    }

    fn of_adjustments(&self) -> ReportPart {
        let columns = vec![
            ReportColumn::unprinted("id"),
            ReportColumn::mark("date", "Date"),
            ReportColumn::text("reason", "Reason"),
            ReportColumn::mark("box", "Box"),
            ReportColumn::figure("amount", "Amount"),
        ];
        let rows = self.adjustments.iter().map(|row: &VatReturnAdjustment| {
            let (id, number) = (row.id.into(), ReportCell::Count(row.number));
            let cells = vec![id, row.date.into(), ReportCell::Word(row.reason), number, row.amount.into()];
            ReportRow::line("adjustments", cells)
        });
        ReportPart::headed("Adjustments", columns, rows.collect())
    }

    fn of_warnings(&self) -> ReportPart {
        let columns = vec![
            ReportColumn::unprinted("code"),
            ReportColumn::text("message", "To look at"),
            ReportColumn::figure("amount", "Amount"),
        ];
        let rows = self.warnings.iter().map(|row: &VatReturnWarning| {
            let cells = vec![ReportCell::Word(row.code), (&row.message).into(), row.amount.into()];
            ReportRow::line("warnings", cells)
        });
        ReportPart::headed("Warnings", columns, rows.collect())
    }

    /// What is to be done, in a sentence.
    fn summary(&self) -> String {
        let amount = pounds(Pence(self.box5.0));
        let what = match self.direction {
            "payable" => format!("{amount} is to be paid to HMRC"),
            "reclaimable" => format!("{amount} is to be reclaimed from HMRC"),
            _ => "Nothing is to be paid or reclaimed".to_owned(),
        };
        let due = self.due_date.map(|date| format!("; the return is due on {}", date.written_out()));
        let recorded = if self.recorded.is_some() { " The return of this period is recorded." } else { "" };
        format!("{what}{}.{recorded}", due.unwrap_or_default())
    }
}

impl VatReturnLate {
    fn table(&self) -> ReportPart {
        let boxes = [
            ("box1", "Box 1", self.box1),
            ("box2", "Box 2", self.box2),
            ("box4", "Box 4", self.box4),
            ("box6", "Box 6", self.box6),
            ("box7", "Box 7", self.box7),
            ("box8", "Box 8", self.box8),
            ("box9", "Box 9", self.box9),
            ("net_vat", "Net VAT", self.net_vat),
        ];
        let is_any = self.count > 0 || boxes.iter().any(|(_, _, amount)| *amount != Money::default());
        let figures = boxes.map(|(key, heading, _)| ReportColumn::figure(key, heading).printed_if(is_any));
        let columns = [ReportColumn::mark("method", "Method").printed_if(is_any)].into_iter().chain(figures);
        let columns = columns.chain([ReportColumn::unprinted("count")]).collect();
        let cells = [ReportCell::Word(self.method)].into_iter().chain(boxes.map(|(_, _, amount)| amount.into()));
        let cells = cells.chain([ReportCell::Count(self.count)]).collect();
        ReportPart::headed("Late in earlier returns", columns, vec![ReportRow::line("late", cells)])
    }
}

impl VatReturnSubmission {
    /// For programs: on paper the boxes say it.
    fn table(&self) -> ReportPart {
        let whole = |WholePounds(pence): WholePounds| ReportCell::Count(pence.0 / 100);
        let cells: [(&'static str, ReportCell); 9] = [
            ("vatDueSales", self.vat_due_sales.into()),
            ("vatDueAcquisitions", self.vat_due_acquisitions.into()),
            ("totalVatDue", self.total_vat_due.into()),
            ("vatReclaimedCurrPeriod", self.vat_reclaimed_curr_period.into()),
            ("netVatDue", self.net_vat_due.into()),
            ("totalValueSalesExVAT", whole(self.total_value_sales)),
            ("totalValuePurchasesExVAT", whole(self.total_value_purchases)),
            ("totalValueGoodsSuppliedExVAT", whole(self.total_value_goods_supplied)),
            ("totalAcquisitionsExVAT", whole(self.total_acquisitions)),
        ];
        let columns = cells.iter().map(|(key, _)| ReportColumn::unprinted(key)).collect();
        let cells = cells.into_iter().map(|(_, cell)| cell).collect();
        ReportPart::headed("HMRC", columns, vec![ReportRow::line("hmrc", cells)])
    }
}

/// Every entry.
fn entries(entries: &[VatReturnEntry]) -> ReportPart {
    let columns = vec![
        ReportColumn::unprinted("id"),
        ReportColumn::mark("date", "Date"),
        ReportColumn::text("document_type", "Type"),
        ReportColumn::mark("number", "Number"),
        ReportColumn::mark("side", "Side"),
        ReportColumn::mark("vat_code", "VAT code"),
        ReportColumn::unprinted("basis"),
        ReportColumn::figure("net_amount", "Net"),
        ReportColumn::figure("vat_amount", "VAT"),
        ReportColumn::unprinted("document_id"),
        ReportColumn::unprinted("journal_id"),
        ReportColumn::unprinted("contact_id"),
        ReportColumn::unprinted("settlement_id"),
    ];
    let rows = entries.iter().map(|row| {
        let cells = vec![
            row.id.into(),
            row.date.into(),
            ReportCell::Word(row.document_type),
            row.number.as_ref().into(),
            ReportCell::Word(row.side),
            row.vat_code.into(),
            ReportCell::Word(row.basis),
            row.net_amount.into(),
            row.vat_amount.into(),
            row.document_id.into(),
            row.journal_id.into(),
            row.contact_id.into(),
            row.settlement_id.into(),
        ];
        ReportRow::line("entries", cells)
    });
    ReportPart::headed("Entries", columns, rows.collect())
}
