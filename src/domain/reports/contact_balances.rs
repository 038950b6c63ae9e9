//! What a customer owes us, or we owe a supplier, and how much of it is overdue.

use crate::domain::ledger::contact::ContactKind;

/// What a contact owes us or is owed by us.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContactBalance {
    pub(crate) is_customer: bool,
    /// Debits less credits of everything.
    pub(crate) debit_pence: i64,
    /// Those that no document stands behind.
    pub(crate) direct_pence: i64,
    /// Of these, what is charged today or later.
    pub(crate) not_yet_due_pence: i64,
    /// What is left of invoices that were due before today.
    pub(crate) overdue_pence: i64,
}

impl ContactBalance {
    /// A line was posted.
    pub(crate) const fn add(&mut self, (debit, credit): (i64, i64), is_direct: bool, is_not_due: bool) {
        self.debit_pence += debit - credit;
        if is_direct {
            self.direct_pence += debit - credit;
            if is_not_due {
                // Only one of the two is what this contact is charged; the other settles the oldest first.
                self.not_yet_due_pence += if self.is_customer { debit } else { credit };
            }
        }
    }

    /// What they owe us (customer) or we owe them (supplier).
    pub(crate) const fn balance_pence(&self, kind: ContactKind) -> i64 {
        match kind {
            ContactKind::Customer => self.debit_pence,
            ContactKind::Supplier => -self.debit_pence,
        }
    }

    /// What of it was due before today: invoices by their due dates, what no document stands behind by its own date.
    pub(crate) fn overdue_pence(&self, kind: ContactKind) -> i64 {
        let direct = match kind {
            ContactKind::Customer => self.direct_pence,
            ContactKind::Supplier => -self.direct_pence,
        };
        self.overdue_pence + direct.saturating_sub(self.not_yet_due_pence).max(0)
    }
}
