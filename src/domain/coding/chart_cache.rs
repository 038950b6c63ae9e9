//! Charts that were read lately: a business sends the same chart with every batch, and reading it costs more than ten lines do.

use std::sync::{Arc, Mutex, PoisonError};

use super::batch::{Account, AccountType};
use super::chart::Chart;
use super::knowledge::Knowledge;

/// Most charts that are kept.
const CHARTS_MAX: usize = 16;
/// Most accounts of all charts that are kept: each has a meaning of 512 bytes beside its name and its words.
const ACCOUNTS_MAX: usize = 10_000;

/// Charts in memory, the last used first; within bounds, and never written anywhere.
#[derive(Default)]
pub struct ChartCache(Mutex<Vec<Entry>>);

struct Entry {
    /// All that a chart is read from.
    accounts: Vec<(Box<str>, AccountType)>,
    chart: Arc<Chart>,
}

impl Entry {
    fn is_of(&self, accounts: &[Account<'_>]) -> bool {
        let same = |(known, account): (&(Box<str>, AccountType), &Account<'_>)| {
            known.1 == account.kind && *known.0 == *account.name
        };
        self.accounts.len() == accounts.len() && self.accounts.iter().zip(accounts).all(same)
    }
}

impl ChartCache {
    /// The cache of this process.
    pub fn get() -> &'static Self {
        static CHARTS: ChartCache = ChartCache(Mutex::new(Vec::new()));
        &CHARTS
    }

    /// A chart as [`Chart::read`] reads it.
    pub fn chart(&self, accounts: &[Account<'_>], knowledge: &'static Knowledge) -> Arc<Chart> {
        if let Some(chart) = self.find(accounts) {
            return chart;
        }
        let chart = Arc::new(Chart::read(accounts, knowledge));
        if accounts.len() <= ACCOUNTS_MAX {
            self.keep(accounts, &chart);
        }
        chart
    }

    fn find(&self, accounts: &[Account<'_>]) -> Option<Arc<Chart>> {
        let mut entries = self.entries();
        let at = entries.iter().position(|entry| entry.is_of(accounts))?;
        entries.get_mut(..=at)?.rotate_right(1);
        entries.first().map(|entry| Arc::clone(&entry.chart))
    }

    fn keep(&self, accounts: &[Account<'_>], chart: &Arc<Chart>) {
        let names = accounts.iter().map(|account| (Box::from(&*account.name), account.kind)).collect();
        let mut entries = self.entries();
        entries.insert(0, Entry { accounts: names, chart: Arc::clone(chart) });
        let mut total = 0;
        let kept = entries.iter().take(CHARTS_MAX).take_while(|entry| {
            total += entry.accounts.len();
            total <= ACCOUNTS_MAX
        });
        let kept = kept.count();
        entries.truncate(kept);
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn accounts<'a>(names: &[&'a str], kind: AccountType) -> Vec<Account<'a>> {
        let account = |name: &&'a str| Account { code: Cow::Borrowed("1"), name: Cow::Borrowed(*name), kind };
        names.iter().map(account).collect()
    }

    #[test]
    fn a_chart_is_read_once_and_is_what_reading_gives() {
        let (cache, knowledge) = (ChartCache::default(), Knowledge::get());
        let charts = [
            accounts(&["Motor fuel", "Rent"], AccountType::Expense),
            accounts(&["Rent", "Motor fuel"], AccountType::Expense),
            accounts(&["Motor fuel", "Rent"], AccountType::Liability),
            accounts(&["Motor fuel"], AccountType::Expense),
            Vec::new(),
        ];
        let first: Vec<Arc<Chart>> = charts.iter().map(|chart| cache.chart(chart, knowledge)).collect();
        for (chart, first) in charts.iter().zip(&first) {
            let again = cache.chart(chart, knowledge);
            assert!(Arc::ptr_eq(&again, first));
            assert_eq!(format!("{again:?}"), format!("{:?}", Chart::read(chart, knowledge)));
        }
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let (cache, knowledge) = (ChartCache::default(), Knowledge::get());
        let names: Vec<String> = (0..=CHARTS_MAX).map(|number| format!("Account {number}")).collect();
        let chart = |number: usize| cache.chart(&accounts(&[&names[number]], AccountType::Expense), knowledge);
        let kept = chart(0);
        let gone = chart(1);
        for number in 2..=CHARTS_MAX {
            chart(0);
            chart(number);
        }
        assert_eq!(cache.entries().len(), CHARTS_MAX);
        assert!(Arc::ptr_eq(&kept, &chart(0)));
        assert!(!Arc::ptr_eq(&gone, &chart(1)));
    }

    #[test]
    fn accounts_of_all_charts_are_bounded() {
        let (cache, knowledge) = (ChartCache::default(), Knowledge::get());
        let large = |name| accounts(&vec![name; ACCOUNTS_MAX * 2 / 5], AccountType::Expense);
        for name in ["Rent", "Fuel", "Post"] {
            cache.chart(&large(name), knowledge);
        }
        let total: usize = cache.entries().iter().map(|entry| entry.accounts.len()).sum();
        assert_eq!(total, ACCOUNTS_MAX * 4 / 5);
        let too_large = accounts(&vec!["Rent"; ACCOUNTS_MAX + 1], AccountType::Expense);
        cache.chart(&too_large, knowledge);
        assert_eq!(cache.entries().len(), 2);
    }
}
