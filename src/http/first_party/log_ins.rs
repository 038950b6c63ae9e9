//! How often somebody may try to sign in. An attempt counts when it begins, so guessing in parallel gains nothing, and counts no more
//! once its password was right. Whatever comes of it, no account is tried more than ten times within any minute.
//!
//! People are not slowed by strangers: most of these attempts are for addresses that the account was signed in from before, and neither
//! kind uses up those of the other. What is known is known to this process, and forgotten when it ends.

use std::collections::VecDeque;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

use dashmap::DashMap;

use crate::clock::Clock;

/// The time over which attempts are counted.
const WINDOW_MS: u64 = 60_000;
/// Attempts of strangers on one account within that time.
const OF_STRANGERS: usize = 4;
/// Attempts on one account from addresses where it is known.
const OF_KNOWN: usize = 6;
/// Attempts from one address within that time, on whichever accounts; people known there do not count.
const OF_ADDRESS: usize = 60;
/// How long an address is known after a sign-in.
const KNOWN_MS: u64 = 90 * 24 * 60 * 60 * 1000;
/// Pairs of account and address that are remembered.
const KNOWN_MAX: usize = 10_000;
/// Entries beyond which those that are over are looked for and forgotten.
const ENTRIES_MAX: usize = 10_000;

/// When attempts of the last minute began, the oldest first.
#[derive(Default)]
struct Attempts(VecDeque<u64>);

impl Attempts {
    fn forget_before(&mut self, now_ms: u64) {
        while self.0.front().is_some_and(|began_ms| began_ms + WINDOW_MS <= now_ms) {
            self.0.pop_front();
        }
    }

    /// Milliseconds until fewer than `limit` attempts lie in the window; none when that is so.
    fn wait_ms(&self, limit: usize, now_ms: u64) -> Option<u64> {
        let in_the_way = self.0.len().checked_sub(limit)?;
        self.0.get(in_the_way).map(|began_ms| (began_ms + WINDOW_MS).saturating_sub(now_ms))
    }

    fn take_back(&mut self, began_ms: u64) {
        if let Some(at) = self.0.iter().rposition(|began| *began == began_ms) {
            self.0.remove(at);
        }
    }
}

/// Attempts of one process.
pub struct LogIns {
    clock: Arc<dyn Clock>,
    /// By account, and whether it is known at the address.
    by_account: DashMap<(String, bool), Attempts>,
    by_address: DashMap<IpAddr, Attempts>,
    /// When an account was last signed in from an address.
    known: DashMap<(String, IpAddr), u64>,
}

/// One attempt that has begun. It counts until it is said to have been right or not to have been tried.
pub struct Attempt<'a> {
    log_ins: &'a LogIns,
    account: String,
    address: IpAddr,
    is_known: bool,
    began_ms: u64,
}

impl LogIns {
    /// Nobody has tried anything yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, by_account: DashMap::new(), by_address: DashMap::new(), known: DashMap::new() }
    }

    /// Begins an attempt on an account (an e-mail address in lower case, whether anybody has it or not) from an address; or the seconds
    /// after which there may be another.
    pub fn begin(&self, account: &str, address: IpAddr) -> Result<Attempt<'_>, u64> {
        let now_ms = self.clock.monotonic_ms();
        let is_known = self
            .known
            .get(&(account.to_owned(), address))
            .is_some_and(|signed_in_ms| now_ms < signed_in_ms.saturating_add(KNOWN_MS));
        forget_idle(&self.by_account, now_ms);
        forget_idle(&self.by_address, now_ms);
        let attempt = Attempt { log_ins: self, account: account.to_owned(), address, is_known, began_ms: now_ms };
        if !is_known {
            count(&self.by_address, address, OF_ADDRESS, now_ms)?;
        }
        let limit = if is_known { OF_KNOWN } else { OF_STRANGERS };
        if let Err(seconds) = count(&self.by_account, (account.to_owned(), is_known), limit, now_ms) {
            attempt.take_back_from_address();
            return Err(seconds);
        }
        Ok(attempt)
    }

    fn remember(&self, account: String, address: IpAddr) {
        if address.is_unspecified() {
            // Many share it: who signs in from there is no better known for it.
            return;
        }
        if self.known.len() >= KNOWN_MAX {
            let oldest = self.known.iter().min_by_key(|entry| *entry.value()).map(|entry| entry.key().clone());
            if let Some(oldest) = oldest {
                self.known.remove(&oldest);
            }
        }
        self.known.insert((account, address), self.clock.monotonic_ms());
    }
}

impl Attempt<'_> {
    /// Whether the account was signed in from this address before.
    pub const fn is_known(&self) -> bool {
        self.is_known
    }

    /// The password was right: no guess, and the address is known from now on.
    pub fn succeeded(self) {
        self.take_back();
        self.log_ins.remember(self.account, self.address);
    }

    /// No password was compared.
    pub fn was_not_tried(self) {
        self.take_back();
    }

    fn take_back(&self) {
        take_back(&self.log_ins.by_account, &(self.account.clone(), self.is_known), self.began_ms);
        self.take_back_from_address();
    }

    fn take_back_from_address(&self) {
        if !self.is_known {
            take_back(&self.log_ins.by_address, &self.address, self.began_ms);
        }
    }
}

/// Counts an attempt that begins now, unless `limit` began within the window: then the seconds until there may be another.
fn count<K: Eq + Hash>(attempts: &DashMap<K, Attempts>, key: K, limit: usize, now_ms: u64) -> Result<(), u64> {
    let mut of_key = attempts.entry(key).or_default();
    of_key.forget_before(now_ms);
    if let Some(wait_ms) = of_key.wait_ms(limit, now_ms) {
        return Err(wait_ms.div_ceil(1000).max(1));
    }
    of_key.0.push_back(now_ms);
    Ok(())
}

fn take_back<K: Eq + Hash>(attempts: &DashMap<K, Attempts>, key: &K, began_ms: u64) {
    if let Some(mut of_key) = attempts.get_mut(key) {
        of_key.take_back(began_ms);
    }
    attempts.remove_if(key, |_, of_key| of_key.0.is_empty());
}

fn forget_idle<K: Eq + Hash>(attempts: &DashMap<K, Attempts>, now_ms: u64) {
    if attempts.len() > ENTRIES_MAX {
        attempts.retain(|_, of_key| {
            of_key.forget_before(now_ms);
            !of_key.0.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    const ACCOUNT: &str = "ada@example.com";

    fn at(last: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, last])
    }

    fn log_ins() -> (LogIns, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at_ms(0));
        (LogIns::new(clock.clone()), clock)
    }

    /// How many of so many attempts from different addresses may begin.
    fn strangers(log_ins: &LogIns, tries: u8) -> usize {
        (0..tries).filter(|number| log_ins.begin(ACCOUNT, at(number + 10)).is_ok()).count()
    }

    #[test]
    fn no_account_is_tried_more_than_ten_times_in_any_minute() {
        let (log_ins, clock) = log_ins();
        log_ins.begin(ACCOUNT, at(1)).unwrap().succeeded();
        assert_eq!(strangers(&log_ins, 200), OF_STRANGERS);
        clock.advance_ms(30_000);
        let of_owner = (0..200).filter(|_| log_ins.begin(ACCOUNT, at(1)).is_ok()).count();
        assert_eq!((of_owner, OF_STRANGERS + of_owner), (OF_KNOWN, 10));
        clock.advance_ms(29_999);
        assert_eq!(log_ins.begin(ACCOUNT, at(2)).err(), Some(1));
        assert_eq!(log_ins.begin(ACCOUNT, at(1)).err(), Some(31));
        // The minute slides, for each kind by itself.
        clock.advance_ms(1);
        assert_eq!(strangers(&log_ins, 200), OF_STRANGERS);
        assert_eq!(log_ins.begin(ACCOUNT, at(1)).err(), Some(30));
    }

    #[test]
    fn strangers_do_not_slow_the_person_down() {
        let (log_ins, _) = log_ins();
        log_ins.begin(ACCOUNT, at(1)).unwrap().succeeded();
        strangers(&log_ins, 200);
        assert_eq!(log_ins.begin(ACCOUNT, at(2)).err(), Some(60), "as a stranger they would have to wait");
        for _ in 1..OF_KNOWN {
            assert!(log_ins.begin(ACCOUNT, at(1)).is_ok(), "a typo");
        }
        for _ in 0..100 {
            let attempt = log_ins.begin(ACCOUNT, at(1)).unwrap();
            assert!(attempt.is_known());
            attempt.succeeded();
        }
        log_ins.begin(ACCOUNT, at(1)).unwrap().was_not_tried();
        assert!(log_ins.begin(ACCOUNT, at(1)).is_ok(), "what was not tried does not count");
        assert!(log_ins.begin(ACCOUNT, at(1)).is_err());
    }

    #[test]
    fn nobody_is_known_at_an_address_that_many_share() {
        let (log_ins, _) = log_ins();
        let unknown = IpAddr::from([0, 0, 0, 0]);
        log_ins.begin(ACCOUNT, unknown).unwrap().succeeded();
        assert!(!log_ins.begin(ACCOUNT, unknown).unwrap().is_known());
    }

    #[test]
    fn an_address_tries_so_many_accounts_a_minute() {
        let (log_ins, clock) = log_ins();
        let tries = (0..200).filter(|number| log_ins.begin(&format!("{number}@example.com"), at(1)).is_ok()).count();
        assert_eq!(tries, OF_ADDRESS);
        assert!(log_ins.begin(ACCOUNT, at(2)).is_ok());
        clock.advance_ms(60_000);
        log_ins.begin(ACCOUNT, at(1)).unwrap().succeeded();
        assert_eq!(log_ins.by_address.len(), 1, "what was right leaves nothing behind");
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let (log_ins, clock) = log_ins();
        for number in 0..=ENTRIES_MAX {
            let address = IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
            assert!(log_ins.begin(&number.to_string(), address).is_ok());
        }
        clock.advance_ms(60_000);
        log_ins.begin(ACCOUNT, at(1)).unwrap().succeeded();
        assert!(log_ins.by_account.is_empty() && log_ins.by_address.is_empty());
        for number in 0..KNOWN_MAX + 10 {
            log_ins.begin(&number.to_string(), at(1)).unwrap().succeeded();
            clock.advance_ms(1);
        }
        assert_eq!(log_ins.known.len(), KNOWN_MAX);
        assert!(!log_ins.begin(ACCOUNT, at(1)).unwrap().is_known(), "the oldest goes first");
    }
}
