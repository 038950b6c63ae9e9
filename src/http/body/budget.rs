//! How many bytes of served bodies are held at once: by all, and by one person or address.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;

use super::limits::BodyLimits;
use crate::domain::ids::UserId;
use crate::domain::refusal_reason::RefusalReason;
use crate::http::error::ApiError;

/// Bodies up to this size have a budget of their own: log-ins, changes of the books, small jobs.
const SMALL_BODY_BYTES: u64 = 64 * 1024;
/// That budget: five hundred such bodies at once.
const SMALL_BUDGET_BYTES: u64 = 512 * SMALL_BODY_BYTES;

/// Whose share a body counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::http) enum Sender {
    /// Whoever presented a credential.
    Person(UserId),
    /// Whoever presented none.
    Address(IpAddr),
}

impl Sender {
    /// A sender without a credential. Of an IPv6 address the network counts, which is what one party is given.
    pub(in crate::http) fn address(address: IpAddr) -> Self {
        Self::Address(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        })
    }
}

/// The budgets of a listener.
pub(super) struct Budgets {
    small: Arc<Budget>,
    large: Arc<Budget>,
}

struct Budget {
    max_bytes: u64,
    share_bytes: u64,
    bytes: AtomicU64,
    by_sender: DashMap<Sender, u64>,
}

impl Budget {
    fn new(max_bytes: u64, share_bytes: u64) -> Arc<Self> {
        let share_bytes = share_bytes.min(max_bytes);
        Arc::new(Self { max_bytes, share_bytes, bytes: AtomicU64::new(0), by_sender: DashMap::new() })
    }
}

impl Budgets {
    pub(super) fn new(limits: &BodyLimits) -> Self {
        let share = |bytes: u64| bytes.saturating_mul(limits.share_percent) / 100;
        let (small, large) = (SMALL_BUDGET_BYTES, limits.max_in_flight_bytes);
        Self {
            small: Budget::new(small, share(small)),
            // Whoever sends nothing else may send the largest body there is.
            large: Budget::new(large, share(large).max(limits.max_bytes)),
        }
    }
}

/// Bytes charged to a budget and to a sender's share of it, given back on drop. The default charges nobody.
#[derive(Default)]
pub(super) struct Charge {
    sender: Option<Sender>,
    is_large: bool,
    bytes: u64,
    budget: Option<Arc<Budget>>,
}

impl Charge {
    /// For a body of this declared size, if it is known.
    pub(super) fn of(sender: Sender, declared: Option<u64>) -> Self {
        Self {
            sender: Some(sender),
            is_large: declared.is_some_and(|bytes| bytes > SMALL_BODY_BYTES),
            bytes: 0,
            budget: None,
        }
    }

    /// Charges bytes that arrived. What turns out to be large moves to the budget of large bodies.
    pub(super) fn add(&mut self, bytes: u64, budgets: &Budgets) -> Result<(), ApiError> {
        let Some(sender) = self.sender else { return Ok(()) };
        if !self.is_large && self.bytes + bytes > SMALL_BODY_BYTES {
            let so_far = self.bytes;
            *self = Self { sender: Some(sender), is_large: true, bytes: 0, budget: None };
            self.take(so_far, sender, budgets)?;
        }
        self.take(bytes, sender, budgets)
    }

    fn take(&mut self, bytes: u64, sender: Sender, budgets: &Budgets) -> Result<(), ApiError> {
        let of_size = if self.is_large { &budgets.large } else { &budgets.small };
        let budget = self.budget.get_or_insert_with(|| Arc::clone(of_size));
        let before = budget.bytes.fetch_add(bytes, Ordering::Relaxed);
        let of_sender = {
            let mut entry = budget.by_sender.entry(sender).or_default();
            *entry += bytes;
            *entry
        };
        self.bytes += bytes;
        if of_sender > budget.share_bytes {
            let message = "too much of your request bodies is being read";
            return Err(ApiError::busy(RefusalReason::BodyShare, message, 1));
        }
        if before + bytes > budget.max_bytes {
            return Err(ApiError::busy(RefusalReason::BodyBudget, "too many request bodies are being read", 1));
        }
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let (Some(budget), Some(sender)) = (&self.budget, self.sender) else { return };
        budget.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        if let Some(mut entry) = budget.by_sender.get_mut(&sender) {
            *entry = entry.saturating_sub(self.bytes);
        }
        budget.by_sender.remove_if(&sender, |_, bytes| *bytes == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Sender = Sender::Person(UserId(1));
    const OTHER: Sender = Sender::Person(UserId(2));

    fn budgets() -> Budgets {
        Budgets::new(&BodyLimits { max_bytes: 100_000, max_in_flight_bytes: 800_000, ..BodyLimits::default() })
    }

    fn charge(sender: Sender, bytes: u64, budgets: &Budgets) -> Result<Charge, Option<RefusalReason>> {
        let mut charge = Charge::of(sender, Some(bytes));
        charge.add(bytes, budgets).map_err(|error| error.refusal())?;
        Ok(charge)
    }

    #[test]
    fn nobody_takes_more_than_their_share_and_all_take_no_more_than_there_is() {
        let budgets = budgets();
        let held: Vec<_> = (0..2).map(|_| charge(ONE, 100_000, &budgets).expect("within the share")).collect();
        assert_eq!(charge(ONE, 70_000, &budgets).err(), Some(Some(RefusalReason::BodyShare)));
        let others: Vec<_> = (2..8).map(|user| charge(Sender::Person(UserId(user)), 100_000, &budgets)).collect();
        assert!(others.iter().all(Result::is_ok));
        let late = Sender::address(IpAddr::from([127, 0, 0, 1]));
        assert_eq!(charge(late, 70_000, &budgets).err(), Some(Some(RefusalReason::BodyBudget)));
        // Small bodies do not wait for large ones.
        assert!(charge(ONE, SMALL_BODY_BYTES, &budgets).is_ok());
        drop(held);
        assert!(charge(late, 70_000, &budgets).is_ok());
        drop(others);
        assert!(budgets.large.by_sender.is_empty() && budgets.small.by_sender.is_empty());
        assert_eq!(budgets.large.bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_body_of_unknown_size_is_small_until_it_is_not() {
        let budgets = budgets();
        let mut charge = Charge::of(OTHER, None);
        charge.add(SMALL_BODY_BYTES, &budgets).expect("room");
        assert_eq!(budgets.small.bytes.load(Ordering::Relaxed), SMALL_BODY_BYTES);
        charge.add(1, &budgets).expect("room");
        assert_eq!(budgets.small.bytes.load(Ordering::Relaxed), 0);
        assert_eq!(budgets.large.bytes.load(Ordering::Relaxed), SMALL_BODY_BYTES + 1);
        let small: Vec<_> = (0..129).map(|_| super::tests::charge(ONE, SMALL_BODY_BYTES, &budgets)).collect();
        assert_eq!(small.iter().filter(|charge| charge.is_ok()).count(), 128, "a quarter of the small ones");
    }

    #[test]
    fn a_network_of_ipv6_is_one_sender() {
        let of = |text: &str| Sender::address(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
