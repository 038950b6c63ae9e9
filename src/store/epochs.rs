//! What moved: the counters every process follows, read in one query.

use super::StoreError;
use crate::domain::job::Product;
use crate::store::jobs::QueueState;
use crate::store::sql::{DATABASE_NOW, Reader};

/// Something processes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// API keys.
    Keys,
    /// Connections by OAuth.
    Grants,
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
            Self::Grants => "grants",
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
    pub queue: QueueState,
    /// Which process holds it.
    pub holder: Option<String>,
    /// Until when.
    pub lease_until_ms: i64,
}

/// Every counter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Epochs {
    /// The moment, by the clock by which leases are kept.
    pub lease_now_ms: i64,
    /// API keys.
    pub keys: i64,
    /// Connections by OAuth.
    pub grants: i64,
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
    /// The right to send e-mails; nothing is counted in it.
    pub mail: SlotView,
    /// When the first queued e-mail may be sent, in milliseconds; none when none is queued.
    pub mail_due_at_ms: Option<i64>,
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
        let sql = "select topic, value, null as holder, 0 as lease_until, 0 as moves from change_epoch union all \
                   select product, waiting, holder, lease_until, moves from product_slot union all \
                   select 'mail_slot', 0, holder, lease_until, 0 from mail_slot union all \
                   select 'mail_due', min(next_attempt_at), null, 0, 0 from email where status = 'queued'";
        let now = format!(" union all select 'now', {DATABASE_NOW}, null, 0, 0");
        let now = if self.shared().leases_by_database { now.as_str() } else { "" };
        let mut epochs = Epochs { lease_now_ms: self.shared().now_ms(), ..Epochs::default() };
        for row in self.all(&format!("{sql}{now}"), Vec::new()).await? {
            let name: String = row.get(0)?;
            let value: Option<i64> = row.get(1)?;
            if name == "mail_due" {
                epochs.mail_due_at_ms = value;
                continue;
            }
            let value = value.unwrap_or_default();
            match name.as_str() {
                "now" => epochs.lease_now_ms = value,
                "keys" => epochs.keys = value,
                "grants" => epochs.grants = value,
                "memberships" => epochs.memberships = value,
                "credits" => epochs.credits = value,
                "limits" => epochs.limits = value,
                product => {
                    let queue = QueueState { waiting: value, moves: row.get(4)? };
                    let view = SlotView { queue, holder: row.get(2)?, lease_until_ms: row.get(3)? };
                    match Product::parse(product) {
                        Some(Product::Reconciliation) => epochs.reconciliation = view,
                        Some(Product::Coding) => epochs.coding = view,
                        None if product == "mail_slot" => epochs.mail = view,
                        // A newer version's topic is none of ours.
                        None => {}
                    }
                }
            }
        }
        Ok(epochs)
    }
}
