//! What moved: the counters every process follows, read in one query.

use super::reader::Reader;
use super::StoreError;
use crate::domain::job::Product;

/// Something processes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// API keys.
    Keys,
    /// Memberships and organisations.
    Memberships,
    /// Credit accounts.
    Credits,
    /// Limits.
    Limits,
}

impl Topic {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Memberships => "memberships",
            Self::Credits => "credits",
            Self::Limits => "limits",
        }
    }
}

/// A product's slot, as last committed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotView {
    /// Jobs waiting.
    pub waiting: i64,
    /// Which process holds it.
    pub holder: Option<String>,
    /// Until when.
    pub lease_until_ms: i64,
}

/// Every counter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Epochs {
    /// API keys.
    pub keys: i64,
    /// Memberships and organisations.
    pub memberships: i64,
    /// Credit accounts.
    pub credits: i64,
    /// Limits.
    pub limits: i64,
    /// The slot of reconciliation.
    pub reconciliation: SlotView,
    /// The slot of coding.
    pub coding: SlotView,
}

impl Epochs {
    /// A product's slot.
    pub const fn slot(&self, product: Product) -> &SlotView {
        match product {
            Product::Reconciliation => &self.reconciliation,
            Product::Coding => &self.coding,
        }
    }
}

impl Reader {
    /// Every counter, in one cheap query.
    pub async fn epochs(&self) -> Result<Epochs, StoreError> {
        todo!()
    }
}
