//! The register of documents and settlements: whatever was changed since a mark is undone.

use proptest::prelude::*;

use super::*;
use crate::domain::ids::ContactId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::CodeTotals;

/// A call that changes a register.
#[derive(Debug, Clone)]
enum Step {
    PutDocument(i64, i64),
    RemoveDocument(i64),
    PutSettlement(i64, i64),
    Add { document: i64, settlement: i64, allocation: i64 },
    Release { document: i64, settlement: i64, allocation: i64, date: Date },
}

fn document(id: i64, gross: i64) -> Document {
    Document {
        id: DocumentId(id),
        kind: DocumentKind::SalesInvoice,
        contact_id: ContactId(1),
        stage: Stage::Issued,
        date: Date::numbered(20_000),
        opened_on: None,
        gross: Pence(gross),
        deduction: Pence(0),
        by_code: CodeTotals::default(),
        basis: None,
        allocations: Vec::new(),
    }
}

fn settlement(id: i64, amount: i64) -> Settlement {
    Settlement {
        id: Some(SettlementId(id)),
        kind: SettlementKind::CustomerReceipt,
        contact_id: ContactId(1),
        date: Date::numbered(20_000),
        amount: Pence(amount),
        is_void: false,
        allocations: Vec::new(),
    }
}

/// Both ends of an allocation of a settlement to a document.
const fn ends(document: i64, settlement: i64) -> [AllocationEnd; 2] {
    [AllocationEnd::Settlement(Some(SettlementId(settlement))), AllocationEnd::Document(DocumentId(document))]
}

fn allocation(id: i64, [from, to]: [AllocationEnd; 2]) -> Allocation {
    Allocation {
        id: Some(AllocationId(id)),
        from,
        to,
        date: Date::numbered(20_000),
        released_on: None,
        amount: Pence(100),
        cis: Pence(0),
        credit: CodeTotals::default(),
        as_payment: false,
    }
}

impl Step {
    fn take(&self, register: &mut UndoRegister) {
        match *self {
            Self::PutDocument(id, gross) => register.put_document(document(id, gross)),
            Self::RemoveDocument(id) => register.remove_document(DocumentId(id)),
            Self::PutSettlement(id, amount) => {
                register.put_settlement(SettlementId(id), settlement(id, amount));
            }
            Self::Add { document, settlement, allocation: id } => {
                let ends = ends(document, settlement);
                ends.into_iter().for_each(|end| register.add(end, allocation(id, ends)));
            }
            Self::Release { document, settlement, allocation, date } => {
                for end in ends(document, settlement) {
                    register.release(end, AllocationId(allocation), date);
                }
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1_i64..4, 1_i64..1_000).prop_map(|(id, gross)| Step::PutDocument(id, gross)),
        (1_i64..4).prop_map(Step::RemoveDocument),
        (1_i64..4, 1_i64..1_000).prop_map(|(id, amount)| Step::PutSettlement(id, amount)),
        (1_i64..4, 1_i64..4, 1_i64..6).prop_map(|(document, settlement, allocation)| Step::Add {
            document,
            settlement,
            allocation
        }),
        (1_i64..4, 1_i64..4, 1_i64..6, 0..10).prop_map(|(document, settlement, allocation, days)| {
            Step::Release { document, settlement, allocation, date: Date::numbered(20_000) + days }
        }),
    ];
    prop::collection::vec(step, 0..30)
}

proptest! {
    #[test]
    fn changes_undone_to_a_mark_leave_the_register_as_it_was(before in steps(), after in steps()) {
        let mut register = UndoRegister::default();
        before.iter().for_each(|step| step.take(&mut register));
        let (mark, expected) = (register.mark(), register.register.clone());
        after.iter().for_each(|step| step.take(&mut register));
        register.undo_to(mark);
        prop_assert_eq!(&register.documents, &expected.documents);
        prop_assert_eq!(&register.settlements, &expected.settlements);
    }
}

#[test]
fn a_document_that_is_set_again_has_the_allocations_of_the_one_before() {
    let mut register = UndoRegister::default();
    register.put_document(document(1, 500));
    register.add(ends(1, 2)[1], allocation(7, ends(1, 2)));
    register.put_document(document(1, 600));
    let known = &register.documents[&DocumentId(1)];
    assert_eq!((known.gross, known.paid()), (Pence(600), Pence(100)));
    let released =
        register.release(ends(1, 2)[1], AllocationId(7), Date::numbered(20_005)).expect("the allocation is known");
    assert_eq!(released.released_on, Some(Date::numbered(20_005)));
    assert_eq!(register.documents[&DocumentId(1)].paid(), Pence(0));
}
