//! What commands about settlements refer to.

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::referenced_ids::ReferencedIds;

impl ReferencedIds {
    /// Notes what a posting about settlements names.
    pub(crate) fn collect_settlement(&mut self, action: &BooksCommand) {
        match action {
            BooksCommand::CreateSettlement(entry) => {
                self.contacts.insert(entry.contact_id);
                self.collect_targets(&entry.allocations);
                if entry.is_auto_allocated {
                    self.open_of_contacts.insert(entry.contact_id);
                }
            }
            BooksCommand::AllocateSettlement { id, allocations, .. } => {
                self.settlements.insert(*id);
                self.collect_targets(allocations);
            }
            BooksCommand::PatchSettlement { id, .. } | BooksCommand::UnallocateSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
            BooksCommand::VoidSettlement { id, .. } => {
                self.settlements.insert(*id);
                self.undone_settlements.insert(*id);
            }
            _ => {}
        }
    }

    /// Notes what the confirmation of a line names.
    pub(crate) fn collect_confirmed_settlement(&mut self, confirmation: &Confirmation) {
        match confirmation {
            Confirmation::Settlement { contact_id, allocations, .. } => {
                self.contacts.insert(*contact_id);
                self.collect_targets(allocations);
            }
            Confirmation::MatchSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
            _ => {}
        }
    }
}
