//! The books of an organisation under test: who asks, the accounts by code, and shorthands for what is posted.

use bookkeeping_suite::domain::books::command::{BooksCommand, Confirmation};
use bookkeeping_suite::domain::books::records::account::{AccountFilter, AccountRecord};
use bookkeeping_suite::domain::books::records::contact::{CisDetails, ContactField};
use bookkeeping_suite::domain::books::records::document::{DocumentInput, DocumentView};
use bookkeeping_suite::domain::books::records::journal::{AccountHistory, JournalView};
use bookkeeping_suite::domain::books::records::organisation::OrganisationRecord;
use bookkeeping_suite::domain::books::records::settlement::{
    AllocationInput, AllocationTarget, NamedSettlementAccount, SettlementInput, SettlementView,
};
use bookkeeping_suite::domain::books::records::statement_line::{StatementLineInput, StatementLineRecord};
use bookkeeping_suite::domain::books::request::{Actor, CommandOutcome, CommandRequest, CommandResult};
use bookkeeping_suite::domain::date::Date;
use bookkeeping_suite::domain::ids::{AccountId, UserId};
use bookkeeping_suite::domain::ledger::allocation::SettlementKind;
use bookkeeping_suite::domain::ledger::chart::AccountReference;
use bookkeeping_suite::domain::ledger::contact::ContactKind;
use bookkeeping_suite::domain::ledger::document::{CisType, DocumentKind, EnteredLine};
use bookkeeping_suite::domain::ledger::money::{Decimal4, Percent};
use bookkeeping_suite::domain::ledger::refusal::Refusal;
use bookkeeping_suite::domain::ledger::vat::VatCode;

use super::fixture::StoreFixture;

pub struct Books<'a> {
    pub bed: &'a StoreFixture,
    pub user: UserId,
    pub organisation: OrganisationRecord,
    pub bank: i64,
}

/// A date as the store knows it.
pub fn date(text: &str) -> Date {
    Date::parse(text).unwrap()
}

pub fn to_invoice(id: i64, amount_pence: i64) -> AllocationInput {
    AllocationInput { to: AllocationTarget::Invoice(id), amount_pence, cis_suffered_pence: 0 }
}

/// A settlement that is set against nothing.
pub fn settlement(kind: SettlementKind, contact_id: i64, on: &str, amount_pence: i64, bank: i64) -> SettlementInput {
    SettlementInput {
        kind,
        contact_id,
        date: date(on),
        amount_pence,
        through: NamedSettlementAccount::Bank(bank),
        reference: None,
        memo: None,
        method: None,
        allocations: Vec::new(),
        is_auto_allocated: false,
    }
}

/// A line of a document: its net in pence, what it is under CIS.
pub fn line(net_pence: i64, cis_type: CisType) -> EnteredLine {
    EnteredLine {
        description: "Work".to_owned(),
        account: None,
        quantity: Decimal4(10_000),
        unit_price: Decimal4(net_pence * 100),
        discount: Percent(0),
        vat_code: Some(VatCode::Standard),
        reverse_charge: None,
        has_standard_basis: false,
        vat_amount: None,
        cis_type: Some(cis_type),
    }
}

impl<'a> Books<'a> {
    pub async fn of(bed: &'a StoreFixture) -> Self {
        let user = bed.user(0, 0).await;
        let organisation = bed.organisation(user, "Larkspur Joinery", true).await;
        let banks = bed.store.reader.bank_accounts(organisation.id, false).await.unwrap();
        let bank = banks[0].row.id;
        Self { bed, user, organisation, bank }
    }

    pub fn post(&self, action: BooksCommand) -> CommandRequest {
        let poster =
            Actor { user_id: self.user, key_prefix: None, may_reopen: true, connection: None, tool: None, note: None };
        CommandRequest {
            organisation: self.organisation.id,
            actor: poster,
            command: action,
            expected_version: None,
            replay: None,
        }
    }

    pub async fn outcome(&self, action: BooksCommand) -> CommandOutcome {
        self.bed.store.writer.execute(self.post(action)).await.unwrap()
    }

    pub async fn done(&self, action: BooksCommand) -> CommandResult {
        match self.outcome(action).await {
            CommandOutcome::Done(posted) => posted,
            other => panic!("{other:?}"),
        }
    }

    pub async fn refused(&self, action: BooksCommand) -> Refusal {
        match self.outcome(action).await {
            CommandOutcome::Refused(refusal) | CommandOutcome::RefusedItem(_, refusal) => refusal,
            other => panic!("{other:?}"),
        }
    }

    pub async fn account(&self, code: &str) -> i64 {
        self.find_account(code).await.unwrap_or_else(|| panic!("no account {code}"))
    }

    pub async fn find_account(&self, code: &str) -> Option<i64> {
        self.find_account_record(code).await.map(|row| row.id)
    }

    async fn find_account_record(&self, code: &str) -> Option<AccountRecord> {
        let filter = AccountFilter { include_archived: true, ..AccountFilter::default() };
        let accounts = self.bed.store.reader.accounts(self.organisation.id, &filter).await.unwrap();
        accounts.into_iter().map(|view| view.row).find(|row| row.code == code)
    }

    /// What was posted to an account from one date to another.
    pub async fn history(&self, code: &str, span: (Option<Date>, Option<Date>)) -> AccountHistory {
        let account = self.find_account_record(code).await.unwrap_or_else(|| panic!("no account {code}"));
        self.bed.store.reader.account_history(self.organisation.id, &account, span, (50, 0)).await.unwrap()
    }

    /// Debits less credits of an account.
    pub async fn balance(&self, code: &str) -> i64 {
        match self.find_account(code).await {
            Some(_) => self.history(code, (None, None)).await.closing_pence,
            None => 0,
        }
    }

    pub async fn contact(&self, kind: ContactKind, name: &str, more: Vec<ContactField>) -> i64 {
        let mut fields = vec![ContactField::Name(name.to_owned())];
        fields.extend(more);
        match self.done(BooksCommand::CreateContact { kind, fields }).await {
            CommandResult::Contact(view) => view.row.id,
            other => panic!("{other:?}"),
        }
    }

    pub async fn customer(&self, name: &str) -> i64 {
        self.contact(ContactKind::Customer, name, Vec::new()).await
    }

    pub async fn subcontractor(&self, name: &str, rate: i64) -> i64 {
        let cis = CisDetails { is_subcontractor: true, deduction_rate: Some(rate), ..CisDetails::default() };
        self.contact(ContactKind::Supplier, name, vec![ContactField::Cis(cis.into())]).await
    }

    pub async fn issued(&self, kind: DocumentKind, contact_id: i64, on: &str, lines: Vec<EnteredLine>) -> DocumentView {
        let code = if kind.contact_kind() == ContactKind::Customer { "4000" } else { "5000" };
        let account = self.account(code).await;
        let lines = lines
            .into_iter()
            .map(|line| EnteredLine { account: Some(AccountReference::Id(AccountId(account))), ..line });
        let entry = DocumentInput {
            kind,
            contact_id,
            date: date(on),
            due_date: None,
            number: None,
            supplier_reference: None,
            reference: None,
            notes: None,
            currency: None,
            is_vat_inclusive: false,
            vat_basis: None,
            origin_id: None,
            lines: lines.collect(),
        };
        match self.done(BooksCommand::CreateDocument { entry: Box::new(entry), is_issued: true }).await {
            CommandResult::Document(view) => *view,
            other => panic!("{other:?}"),
        }
    }

    pub async fn sales_invoice(&self, customer: i64, on: &str, net_pence: i64) -> DocumentView {
        self.issued(DocumentKind::SalesInvoice, customer, on, vec![line(net_pence, CisType::None)]).await
    }

    pub async fn document(&self, kind: DocumentKind, id: i64) -> DocumentView {
        self.bed.store.reader.document(self.organisation.id, kind, id).await.unwrap().unwrap()
    }

    pub async fn settle(&self, entry: SettlementInput) -> SettlementView {
        shown(self.done(BooksCommand::CreateSettlement(Box::new(entry))).await)
    }

    pub async fn settlement(&self, side: ContactKind, id: i64) -> SettlementView {
        self.bed.store.reader.settlement(self.organisation.id, side, id).await.unwrap().unwrap()
    }

    pub async fn bank_line(&self, on: &str, amount_pence: i64, description: &str) -> i64 {
        let row = StatementLineInput {
            date: date(on),
            amount_pence,
            description: description.to_owned(),
            reference: None,
            merchant: None,
            external_id: None,
        };
        match self.done(BooksCommand::CreateBankTransaction { bank_account_id: self.bank, row: Box::new(row) }).await {
            CommandResult::BankTransaction(row) => row.id,
            other => panic!("{other:?}"),
        }
    }

    pub async fn line_of_bank(&self, id: i64) -> StatementLineRecord {
        self.bed.store.reader.bank_transaction(self.organisation.id, id).await.unwrap().unwrap()
    }

    pub fn confirm_one(&self, id: i64, confirmation: Confirmation) -> BooksCommand {
        BooksCommand::Confirm { items: vec![(id, confirmation)], is_batch: false }
    }

    pub async fn confirmed(&self, id: i64, confirmation: Confirmation) -> StatementLineRecord {
        match self.done(self.confirm_one(id, confirmation)).await {
            CommandResult::BankTransaction(row) => *row,
            other => panic!("{other:?}"),
        }
    }

    pub async fn journal(&self, id: i64) -> JournalView {
        self.bed.store.reader.journal(self.organisation.id, id).await.unwrap().unwrap()
    }

    /// The lines of a journal as account code and amount, credits negative.
    pub async fn posted(&self, journal: i64) -> Vec<(String, i64)> {
        let lines = self.journal(journal).await.lines;
        lines.into_iter().map(|line| (line.account_code, line.debit_pence - line.credit_pence)).collect()
    }
}

pub fn shown(posted: CommandResult) -> SettlementView {
    match posted {
        CommandResult::Settlement(view) => *view,
        other => panic!("{other:?}"),
    }
}
