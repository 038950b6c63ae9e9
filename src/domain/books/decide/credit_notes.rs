//! Decides the allocation of credit notes to invoices.

use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, DocumentId};
use crate::domain::ledger::allocate::{allocate_credit, unallocate_credit};
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;

impl BooksTransaction<'_> {
    pub(crate) fn allocate_credit(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
        allocations: &[AllocationInput],
        date: Option<Date>,
    ) -> Result<CommandResult, Rejection> {
        self.document_row(request, kind, id)?;
        let mut requests = Vec::with_capacity(allocations.len());
        for (row, allocation) in allocations.iter().enumerate() {
            let AllocationTarget::Invoice(invoice) = allocation.to else {
                let field = format!("allocations[{row}]");
                return Err(Refusal::field(field, "credit is set against invoices: invoice_id is required").into());
            };
            requests.push((DocumentId(invoice), Pence(allocation.amount_pence)));
        }
        let documents = requests.iter().map(|(invoice, _)| invoice.0).chain([id]);
        let register = self.register(documents, []);
        let changed = allocate_credit(&self.books.books(), &register, DocumentId(id), &requests, date)?;
        self.apply_allocations(&changed, None)?;
        self.shown_document(id)
    }

    pub(crate) fn unallocate_credit(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
        allocation_ids: &[i64],
    ) -> Result<CommandResult, Rejection> {
        self.document_row(request, kind, id)?;
        let ids: Vec<AllocationId> = allocation_ids.iter().copied().map(AllocationId).collect();
        let register = self.register([id], []);
        let changed = unallocate_credit(&self.books.books(), &register, DocumentId(id), &ids)?;
        self.apply_allocations(&changed, None)?;
        self.shown_document(id)
    }
}
