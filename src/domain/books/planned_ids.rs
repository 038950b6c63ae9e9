//! Identifiers of records that a plan will make. An operation names such a record by a stand-in, a number beyond every
//! identifier, which the plan replaces by the identifier that the record is given.

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::records::bank_account::LedgerAccount;
use crate::domain::books::records::contact::ContactField;
use crate::domain::books::records::document::DocumentField;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget, NamedSettlementAccount};
use crate::domain::ledger::bank_coding::CodedLine;
use crate::domain::ledger::chart::AccountReference;

/// The stand-in of what the first operation makes; those of the following count up. JSON numbers are exact up to 2^53.
pub const FIRST_STAND_IN: i64 = 1 << 52;

/// The stand-in of what an operation makes.
pub fn stand_in(operation: usize) -> i64 {
    FIRST_STAND_IN.saturating_add(i64::try_from(operation).unwrap_or(i64::MAX))
}

/// The operation whose record a stand-in names.
pub fn operation_of(id: i64) -> Option<usize> {
    usize::try_from(id.checked_sub(FIRST_STAND_IN)?).ok()
}

/// Replaces the stand-ins of a command by the identifiers of the records that the operations before made; in the error, the first
/// operation it names that made none.
pub(crate) fn replace_stand_ins(command: &mut BooksCommand, made: &[Option<i64>]) -> Result<(), usize> {
    let mut missing = None;
    visit(command, &mut |id| {
        let Some(operation) = operation_of(*id) else { return };
        match made.get(operation).copied().flatten() {
            Some(made) => *id = made,
            None => missing = missing.or(Some(operation)),
        }
    });
    missing.map_or(Ok(()), Err)
}

type Visitor<'a> = &'a mut dyn FnMut(&mut i64);

/// Visits every identifier that a command names.
fn visit(command: &mut BooksCommand, see: Visitor<'_>) {
    match command {
        BooksCommand::PatchOrganisation(_)
        | BooksCommand::ChangeCodingPolicy(_)
        | BooksCommand::LockPeriod { .. }
        | BooksCommand::CreateAccount(_)
        | BooksCommand::RecordVatReturn(_)
        | BooksCommand::DeleteVatReturn { .. }
        | BooksCommand::CloseYear { .. }
        | BooksCommand::ReopenYear { .. }
        | BooksCommand::ImportBankTransactions(_)
        | BooksCommand::PreviewOpening { .. }
        | BooksCommand::SetOpening { .. }
        | BooksCommand::PreviewImport { .. }
        | BooksCommand::ConfirmImport(_)
        | BooksCommand::SaveSuggestions(_)
        | BooksCommand::Plan(_)
        | BooksCommand::CommitPlan(_) => {}
        BooksCommand::PatchAccount { id, .. }
        | BooksCommand::ArchiveAccount { id, .. }
        | BooksCommand::ArchiveContact { id, .. }
        | BooksCommand::DeleteContact { id, .. }
        | BooksCommand::PatchBankAccount { id, .. }
        | BooksCommand::ArchiveBankAccount { id }
        | BooksCommand::DeleteBankTransaction { id }
        | BooksCommand::ExcludeBankTransaction { id, .. }
        | BooksCommand::Unconfirm { id }
        | BooksCommand::DeleteDocument { id, .. }
        | BooksCommand::IssueDocument { id, .. }
        | BooksCommand::VoidDocument { id, .. }
        | BooksCommand::PatchSettlement { id, .. }
        | BooksCommand::VoidSettlement { id, .. }
        | BooksCommand::VoidVatAdjustment { id, .. }
        | BooksCommand::VoidWriteOff { id, .. }
        | BooksCommand::VoidJournal { id, .. }
        | BooksCommand::ResendEmail { id, .. }
        | BooksCommand::CancelEmail { id } => see(id),
        BooksCommand::UnallocateCredit { id, allocation_ids, .. }
        | BooksCommand::UnallocateSettlement { id, allocation_ids, .. } => {
            see(id);
            allocation_ids.iter_mut().for_each(see);
        }
        BooksCommand::CreateContact { fields, .. } => contact_fields(fields, see),
        BooksCommand::PatchContact { id, fields, .. } => {
            see(id);
            contact_fields(fields, see);
        }
        BooksCommand::CreateBankAccount { account, .. } => {
            if let LedgerAccount::Existing(id) = account {
                see(id);
            }
        }
        BooksCommand::CreateBankTransaction { bank_account_id, .. } => see(bank_account_id),
        BooksCommand::PatchBankTransaction { id, suggestion } => {
            see(id);
            suggestion.contact_id.iter_mut().flatten().for_each(&mut *see);
            suggestion.account.iter_mut().flatten().for_each(|one| account(one, see));
            coded(suggestion.lines.iter_mut().flatten(), see);
        }
        BooksCommand::ConfirmSuggestions(asked) => asked.lines.iter_mut().for_each(see),
        BooksCommand::Confirm { items, .. } => {
            for (id, confirmed) in items {
                see(id);
                confirmation(confirmed, see);
            }
        }
        BooksCommand::PostJournal(journal) => {
            for line in &mut journal.lines {
                account(&mut line.account, see);
                line.contact_id.iter_mut().for_each(|contact| see(&mut contact.0));
            }
        }
        BooksCommand::CreateDocument { .. } | BooksCommand::PatchDocument { .. } => document(command, see),
        BooksCommand::AllocateCredit { id, allocations, .. }
        | BooksCommand::AllocateSettlement { id, allocations, .. } => {
            see(id);
            targets(allocations, see);
        }
        BooksCommand::CreateSettlement(entry) => {
            see(&mut entry.contact_id);
            match &mut entry.through {
                NamedSettlementAccount::Bank(id) => see(id),
                NamedSettlementAccount::Account(through) => account(through, see),
            }
            targets(&mut entry.allocations, see);
        }
        BooksCommand::CreateVatAdjustment(entered) => {
            entered.account.iter_mut().for_each(|one| account(one, see));
        }
        BooksCommand::WriteOff { invoice_id, entered } => {
            see(invoice_id);
            entered.account.iter_mut().for_each(|one| account(one, see));
        }
        BooksCommand::SendEmail(email) => see(email.document.id_mut()),
    }
}

fn document(command: &mut BooksCommand, see: Visitor<'_>) {
    match command {
        BooksCommand::CreateDocument { entry, .. } => {
            see(&mut entry.contact_id);
            entry.origin_id.iter_mut().for_each(&mut *see);
            for line in &mut entry.lines {
                line.account.iter_mut().for_each(|one| account(one, see));
            }
        }
        BooksCommand::PatchDocument { id, fields, .. } => {
            see(id);
            for field in fields {
                match field {
                    DocumentField::Contact(id) => see(id),
                    DocumentField::Origin(id) => id.iter_mut().for_each(&mut *see),
                    DocumentField::Lines(lines) => {
                        for line in lines {
                            line.account.iter_mut().for_each(|one| account(one, see));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn account(reference: &mut AccountReference, see: Visitor<'_>) {
    if let AccountReference::Id(id) = reference {
        see(&mut id.0);
    }
}

fn contact_fields(fields: &mut [ContactField], see: Visitor<'_>) {
    for field in fields {
        if let ContactField::DefaultAccountId(Some(id)) = field {
            see(id);
        }
    }
}

fn coded<'a>(lines: impl Iterator<Item = &'a mut CodedLine>, see: Visitor<'_>) {
    lines.for_each(|line| account(&mut line.account, see));
}

fn targets(allocations: &mut [AllocationInput], see: Visitor<'_>) {
    for allocation in allocations {
        match &mut allocation.to {
            AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) | AllocationTarget::Settlement(id) => {
                see(id);
            }
        }
    }
}

fn confirmation(confirmed: &mut Confirmation, see: Visitor<'_>) {
    match confirmed {
        Confirmation::Suggested => {}
        Confirmation::Coded(coding) => coded(coding.lines.iter_mut(), see),
        Confirmation::TransferWith(id)
        | Confirmation::TransferTo(id)
        | Confirmation::MatchJournal(id)
        | Confirmation::MatchSettlement { id, .. } => see(id),
        Confirmation::Settlement { contact_id, allocations, .. } => {
            see(contact_id);
            targets(allocations, see);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::contact::ContactKind;
    use crate::domain::ledger::document::DocumentKind;

    #[test]
    fn a_stand_in_names_its_operation_and_no_identifier_does() {
        assert_eq!(operation_of(stand_in(0)), Some(0));
        assert_eq!(operation_of(stand_in(99)), Some(99));
        assert_eq!(operation_of(1), None);
        assert_eq!(operation_of(-3), None);
        assert_eq!(operation_of(FIRST_STAND_IN - 1), None);
    }

    #[test]
    fn stand_ins_become_what_was_made() {
        let allocations = vec![AllocationInput {
            to: AllocationTarget::Invoice(stand_in(1)),
            amount_pence: 100,
            cis_suffered_pence: 0,
        }];
        let mut command =
            BooksCommand::AllocateSettlement { side: ContactKind::Customer, id: stand_in(0), allocations };
        assert_eq!(replace_stand_ins(&mut command.clone(), &[]), Err(0));
        assert_eq!(replace_stand_ins(&mut command.clone(), &[Some(-4), None]), Err(1));
        assert_eq!(replace_stand_ins(&mut command, &[Some(-4), Some(17)]), Ok(()));
        let BooksCommand::AllocateSettlement { id, allocations, .. } = command else { panic!("another command") };
        assert_eq!((id, allocations[0].to), (-4, AllocationTarget::Invoice(17)));
    }

    #[test]
    fn what_is_no_stand_in_stays() {
        let mut command = BooksCommand::IssueDocument { kind: DocumentKind::SalesInvoice, id: 12 };
        assert_eq!(replace_stand_ins(&mut command, &[]), Ok(()));
        assert!(matches!(command, BooksCommand::IssueDocument { id: 12, .. }));
    }
}
