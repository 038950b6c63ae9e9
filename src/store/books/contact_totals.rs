//! Rows that the reports about customers and suppliers are answered from: the items of debtors and creditors with the days
//! between which they are open, and what was sold and bought in days, months and quarters.

use std::collections::BTreeMap;

use crate::domain::ledger::open_item::OpenItem;
use crate::domain::ledger::trade::{Span, TradeFigures, TradeMovement};
use crate::store::sql::Column::{Number, Text};
use crate::store::sql::{Column, Rows};

/// The rows of items, each with its organisation.
pub(super) fn open_item_rows(items: &BTreeMap<(&'static str, i64), (i64, OpenItem)>) -> Rows {
    const COLUMNS: &[Column] = &[
        Text("source_type"),
        Number("source_id"),
        Number("organisation_id"),
        Text("side"),
        Number("contact_id"),
        Number("from_day"),
        Number("until_day"),
        Number("node"),
    ];
    const CONFLICT: &str =
        "on conflict (source_type, source_id) do update set until_day = excluded.until_day, node = excluded.node";
    let mut rows = Rows::new("open_item", COLUMNS, CONFLICT);
    for ((source_type, source_id), (organisation, item)) in items {
        rows.push([
            (*source_type).into(),
            source_id.into(),
            organisation.into(),
            item.source.side().as_str().into(),
            item.contact_id.map_or(0, |id| id.0).into(),
            i64::from(item.from).into(),
            i64::from(item.until).into(),
            item.node().into(),
        ]);
    }
    rows
}

/// Sales and purchases by organisation, side, stretch of time with its number, and contact.
pub(super) type TradeSums = BTreeMap<(i64, &'static str, Span, i64, i64), TradeFigures>;

/// Adds a document to the day, the month and the quarter of a movement.
pub(super) fn add_trade(sums: &mut TradeSums, organisation: i64, movement: &TradeMovement) {
    let side = movement.kind.contact_kind().as_str();
    for span in Span::ALL {
        let key = (organisation, side, span, span.number(movement.date), movement.contact_id.0);
        sums.entry(key).or_default().add(&movement.figures);
    }
}

/// The rows of sales and purchases.
pub(super) fn trade_rows(sums: &TradeSums) -> Rows {
    const COLUMNS: &[Column] = &[
        Number("organisation_id"),
        Text("side"),
        Text("span"),
        Number("number"),
        Number("contact_id"),
        Number("invoices"),
        Number("credit_notes"),
        Number("net"),
        Number("vat"),
        Number("capital_net"),
        Number("other_net"),
    ];
    const CONFLICT: &str = "on conflict (organisation_id, side, span, number, contact_id) do update set \
         invoices = t.invoices + excluded.invoices, credit_notes = t.credit_notes + excluded.credit_notes, \
         net = t.net + excluded.net, vat = t.vat + excluded.vat, \
         capital_net = t.capital_net + excluded.capital_net, other_net = t.other_net + excluded.other_net";
    let mut rows = Rows::new("trade_total", COLUMNS, CONFLICT);
    for ((organisation, side, span, number, contact), figures) in sums {
        rows.push([
            organisation.into(),
            (*side).into(),
            span.as_str().into(),
            number.into(),
            contact.into(),
            figures.invoices.into(),
            figures.credit_notes.into(),
            figures.net.0.into(),
            figures.vat.0.into(),
            figures.capital_net.0.into(),
            figures.other_net.0.into(),
        ]);
    }
    rows
}
