//! Notes what an invoice or credit note adds to the sales of a customer or the purchases from a supplier.

use std::collections::BTreeMap;

use crate::domain::books::decide::BooksTransaction;
use crate::domain::books::effects::Effect;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::journal::JournalView;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::trade::{TradeFigures, TradeLine, TradeMovement};

impl BooksTransaction<'_> {
    /// A document counts from its date on, with what its journal posted; a document of nothing has none.
    pub(crate) fn count_trade(&mut self, row: &DocumentRecord, journal: Option<&JournalView>) {
        let figures = self.trade_figures(row, journal);
        self.push_trade(row, row.date, figures);
    }

    /// It counts no more from the day on which it is void.
    pub(crate) fn uncount_trade(&mut self, row: &DocumentRecord, journal: Option<&JournalView>, void_date: Date) {
        let figures = self.trade_figures(row, journal).taken_back();
        self.push_trade(row, void_date, figures);
    }

    fn push_trade(&mut self, row: &DocumentRecord, date: Date, figures: TradeFigures) {
        let movement = TradeMovement { kind: row.kind, contact_id: ContactId(row.contact_id), date, figures };
        self.effects.push(self.organisation(), Effect::Trade(Box::new(movement)));
    }

    fn trade_figures(&self, row: &DocumentRecord, journal: Option<&JournalView>) -> TradeFigures {
        let mut gross: BTreeMap<i64, Pence> = BTreeMap::new();
        for line in &row.lines {
            *gross.entry(line.account_id).or_default() += Pence(line.net_pence + line.vat_pence);
        }
        let posted = |account: i64| -> Pence {
            let lines = journal.into_iter().flat_map(|journal| &journal.lines);
            let own = lines.filter(|line| line.account_id == account && !line.system);
            own.map(|line| Pence(line.debit_pence - line.credit_pence)).sum()
        };
        let lines = gross.into_iter().filter_map(|(account, gross)| {
            let account_type = self.books.chart.get(AccountId(account))?.account_type;
            Some(TradeLine { account_type, posted: posted(account), gross })
        });
        TradeFigures::of(row.kind, lines)
    }
}
