//! Slows down those who guess: registrations per address, log-ins (`log_ins`), failed exchanges and
//! revocations of tokens per address, access tokens that nobody was given per address. And keeps people from making this service ask
//! others: documents of clients per person and host.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use dashmap::DashMap;

use super::log_ins::LogIns;
use super::password_queue::PasswordQueue;
use crate::clock::Clock;
use crate::domain::caller::{RateDecision, RateRule, RateWindow};
use crate::domain::ids::UserId;

/// Registrations a minute and address.
const REGISTRATIONS: RateRule = RateRule { limit: 10, window_ms: 60_000 };
/// The window of registrations of clients.
const HOUR_MS: u64 = 60 * 60 * 1000;
/// Exchanges and revocations of tokens that fail, a minute and network: many clients of one office may share an address.
const FAILED_EXCHANGES: RateRule = RateRule { limit: 600, window_ms: 60_000 };
/// Documents of clients, a minute and person.
const FETCHES_OF_PERSON: RateRule = RateRule { limit: 10, window_ms: 60_000 };
/// Documents of clients, a minute and host.
const FETCHES_FROM_HOST: RateRule = RateRule { limit: 20, window_ms: 60_000 };
/// Access tokens looked for in the database that nobody was given, a minute and network.
const UNKNOWN_TOKENS: RateRule = RateRule { limit: 600, window_ms: 60_000 };
/// Look-ups of access tokens for all addresses together that presented one of those within the minute. Addresses that did not are
/// no part of it, so that whoever makes tokens up, from however many places, keeps nobody else out.
const SUSPECT_LOOK_UPS: RateRule = RateRule { limit: 500, window_ms: 1_000 };
/// Entries beyond which the ones that are over are forgotten.
const ENTRIES_MAX: usize = 10_000;
/// Counters of one process.
pub struct Throttle {
    clock: Arc<dyn Clock>,
    registrations: DashMap<IpAddr, RateWindow>,
    clients: DashMap<IpAddr, RateWindow>,
    failed_exchanges: DashMap<IpAddr, RateWindow>,
    fetches_of_person: DashMap<UserId, RateWindow>,
    fetches_from_host: DashMap<String, RateWindow>,
    unknown_tokens: DashMap<IpAddr, RateWindow>,
    suspect_look_ups: RateWindow,
    /// Attempts to sign in.
    pub log_ins: LogIns,
    /// The way to the memory that passwords are hashed in.
    pub passwords: Arc<PasswordQueue>,
}

impl Throttle {
    /// Nobody has tried anything yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            log_ins: LogIns::new(Arc::clone(&clock)),
            passwords: Arc::default(),
            clock,
            registrations: DashMap::new(),
            clients: DashMap::new(),
            failed_exchanges: DashMap::new(),
            fetches_of_person: DashMap::new(),
            fetches_from_host: DashMap::new(),
            unknown_tokens: DashMap::new(),
            suspect_look_ups: RateWindow::default(),
        }
    }

    /// Counts a registration.
    pub fn register(&self, address: IpAddr) -> RateDecision {
        self.hit(&self.registrations, network(address), REGISTRATIONS)
    }

    /// Counts the registration of a client, of which an address has so many an hour.
    pub fn register_client(&self, address: IpAddr, per_hour: u64) -> RateDecision {
        self.hit(&self.clients, network(address), RateRule { limit: per_hour, window_ms: HOUR_MS })
    }

    /// Seconds for which an address may exchange and revoke no tokens, because too many attempts have failed; none when it may.
    pub fn exchange_wait_s(&self, address: IpAddr) -> Option<u64> {
        let now_ms = self.clock.monotonic_ms();
        let window = self.failed_exchanges.get(&network(address))?;
        let is_full = window.used(FAILED_EXCHANGES, now_ms) >= FAILED_EXCHANGES.limit;
        // A full window counts nothing more.
        is_full.then(|| window.hit(FAILED_EXCHANGES, now_ms).reset_s)
    }

    /// Counts an exchange or a revocation of a token that failed.
    pub fn fail_exchange(&self, address: IpAddr) {
        self.hit(&self.failed_exchanges, network(address), FAILED_EXCHANGES);
    }

    /// Counts a document that a person has this service fetch from a host; seconds to wait when it may not be fetched now.
    pub fn fetch_wait_s(&self, person: UserId, host: &str) -> Option<u64> {
        let of_person = self.hit(&self.fetches_of_person, person, FETCHES_OF_PERSON);
        if !of_person.allowed {
            return Some(of_person.reset_s);
        }
        let from_host = self.hit(&self.fetches_from_host, host.to_owned(), FETCHES_FROM_HOST);
        (!from_host.allowed).then_some(from_host.reset_s)
    }

    /// Seconds for which no access token may be looked for on behalf of an address; none when one may be, which counts.
    pub fn look_up_wait_s(&self, address: IpAddr) -> Option<u64> {
        let now_ms = self.clock.monotonic_ms();
        let window =
            self.unknown_tokens.get(&network(address)).filter(|window| !window.is_idle(UNKNOWN_TOKENS, now_ms))?;
        if window.used(UNKNOWN_TOKENS, now_ms) >= UNKNOWN_TOKENS.limit {
            // A full window counts nothing more.
            return Some(window.hit(UNKNOWN_TOKENS, now_ms).reset_s);
        }
        let decision = self.suspect_look_ups.hit(SUSPECT_LOOK_UPS, now_ms);
        (!decision.allowed).then_some(decision.reset_s)
    }

    /// Counts an access token that was looked for and that nobody was given.
    pub fn note_unknown_token(&self, address: IpAddr) {
        self.hit(&self.unknown_tokens, network(address), UNKNOWN_TOKENS);
    }

    fn hit<K: Eq + Hash>(&self, windows: &DashMap<K, RateWindow>, key: K, rule: RateRule) -> RateDecision {
        let now_ms = self.clock.monotonic_ms();
        if windows.len() > ENTRIES_MAX {
            windows.retain(|_, window| !window.is_idle(rule, now_ms));
        }
        windows.entry(key).or_default().hit(rule, now_ms)
    }
}

/// What counts as one address: of IPv6 the network of 64 bits, because whoever has one of its addresses has them all.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn the_addresses_of_one_network_count_together() {
        let throttle = Throttle::new(Arc::new(ManualClock::at_ms(0)));
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        for (first, second, is_one) in [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true),
            ("2001:db8:1:3::1", "2001:db8:1:4::1", false),
            ("203.0.113.1", "::ffff:203.0.113.1", true),
            ("203.0.113.2", "203.0.113.3", false),
        ] {
            let (first, second) = (address(first), address(second));
            assert!(throttle.register_client(first, 1).allowed, "{first}");
            assert_eq!(!throttle.register_client(second, 1).allowed, is_one, "{first} {second}");
            for _ in 0..FAILED_EXCHANGES.limit {
                assert_eq!(throttle.exchange_wait_s(first), None);
                throttle.fail_exchange(first);
            }
            assert_eq!(throttle.exchange_wait_s(first), Some(60));
            assert_eq!(throttle.exchange_wait_s(second).is_some(), is_one, "{first} {second}");
        }
    }

    #[test]
    fn who_makes_tokens_up_keeps_nobody_else_out() {
        let clock = Arc::new(ManualClock::at_ms(0));
        let throttle = Throttle::new(clock.clone());
        let address = |last: u8| IpAddr::from([203, 0, 113, last]);
        // One address has so many a minute.
        for count in 0..UNKNOWN_TOKENS.limit {
            if count % 100 == 0 {
                clock.advance_ms(1_000);
            }
            assert_eq!(throttle.look_up_wait_s(address(1)), None, "{count}");
            throttle.note_unknown_token(address(1));
        }
        assert!(throttle.look_up_wait_s(address(1)).is_some_and(|wait_s| wait_s > 50));
        // Many addresses together have so many a second; whoever presented no such token is no part of it.
        for last in 2..200 {
            throttle.note_unknown_token(address(last));
        }
        let allowed = (0..10).flat_map(|_| 2..200).filter(|last| throttle.look_up_wait_s(address(*last)).is_none());
        assert!(u64::try_from(allowed.count()).is_ok_and(|allowed| allowed <= SUSPECT_LOOK_UPS.limit));
        assert_eq!(throttle.look_up_wait_s(address(2)), Some(1));
        assert!((0..10_000).all(|_| throttle.look_up_wait_s(address(201)).is_none()));
        clock.advance_ms(60_000);
        assert_eq!(throttle.look_up_wait_s(address(1)), None);
    }
}
