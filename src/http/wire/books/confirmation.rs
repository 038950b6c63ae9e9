//! Reading how lines of statements come into the books.

use super::allocation::Allocations;
use super::bank::{PARTS_MAX, PartRead};
use crate::domain::books::command::Confirmation;
use crate::domain::ids::AccountId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::ConfirmType;
use crate::domain::ledger::bank_coding::{CodedLine, Coding};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use crate::domain::problem::Issues;
use crate::http::wire::books::read::{CODE_CHARS_MAX, ONE_AT_MOST};
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// Items of one batch.
const BATCH_ITEMS_MAX: u64 = 500;
/// What is allowed as a type.
pub const TYPES: &str =
    "one of coded, customer_receipt, customer_refund, supplier_payment, supplier_refund, transfer, match";

/// The keys of a confirmation, after the `id` of an item of a batch.
macro_rules! names {
    ($($before:literal),*) => {
        [
            $($before,)*
            "type",
            "account_id",
            "account_code",
            "vat_code",
            "vat_amount",
            "lines",
            "customer_id",
            "supplier_id",
            "allocations",
            "bank_transaction_id",
            "bank_account_id",
            "journal_id",
            "customer_receipt_id",
            "supplier_payment_id",
        ]
    };
}

/// The keys of a confirmation; after `type`, those that only some types take.
pub const CONFIRMATION_KEYS: [&str; 14] = names!();
const ITEM_NAMES: [&str; 15] = names!("id");

/// The keys of a confirmation as given.
#[derive(Default)]
struct ConfirmRead {
    kind: Option<ConfirmType>,
    account_id: Option<i64>,
    account_code: Option<String>,
    vat_code: Option<VatCode>,
    vat_amount: Option<Pence>,
    lines: Option<Vec<CodedLine>>,
    customer: Option<i64>,
    supplier: Option<i64>,
    allocations: Option<Allocations>,
    transaction: Option<i64>,
    bank: Option<i64>,
    journal: Option<i64>,
    receipt: Option<i64>,
    payment: Option<i64>,
}

/// What is wrong with keys that are right each for itself: the key, and why.
type Wrong = (&'static str, &'static str);

impl ConfirmRead {
    fn field(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'static>, at: usize) -> Reading<()> {
        let field = path.field(CONFIRMATION_KEYS.get(at).copied().unwrap_or_default());
        if at > 0 && reader.is_null()? {
            return Ok(());
        }
        match at {
            0 => self.kind = reader.word(field, ConfirmType::parse, TYPES)?,
            1 => self.account_id = reader.id(field)?,
            2 => self.account_code = reader.text(field, 1..=CODE_CHARS_MAX)?.map(String::from),
            3 => self.vat_code = reader.vat_code(field)?,
            4 => self.vat_amount = reader.money(field)?,
            5 => {
                let mut parts = Vec::new();
                reader.list_in(path, "lines", 1..=PARTS_MAX, |reader, path| {
                    parts.extend(PartRead::read(reader, path)?);
                    Ok(())
                })?;
                self.lines = Some(parts);
            }
            6 => self.customer = reader.id(field)?,
            7 => self.supplier = reader.id(field)?,
            8 => self.allocations.get_or_insert_default().read(reader, path, 0, None)?,
            9 => self.transaction = reader.id(field)?,
            10 => self.bank = reader.id(field)?,
            11 => self.journal = reader.id(field)?,
            12 => self.receipt = reader.id(field)?,
            _ => self.payment = reader.id(field)?,
        }
        Ok(())
    }

    /// The keys that only some types take, with whether they are given.
    fn given(&self) -> [(&'static str, bool); 13] {
        let [_, names @ ..] = CONFIRMATION_KEYS;
        let given = [
            self.account_id.is_some(),
            self.account_code.is_some(),
            self.vat_code.is_some(),
            self.vat_amount.is_some(),
            self.lines.is_some(),
            self.customer.is_some(),
            self.supplier.is_some(),
            self.allocations.is_some(),
            self.transaction.is_some(),
            self.bank.is_some(),
            self.journal.is_some(),
            self.receipt.is_some(),
            self.payment.is_some(),
        ];
        let mut pairs = [("", false); 13];
        for (pair, known) in pairs.iter_mut().zip(names.into_iter().zip(given)) {
            *pair = known;
        }
        pairs
    }

    /// The type, when what is given tells it.
    fn kind(&self) -> Option<ConfirmType> {
        let is_coded = self.account_id.is_some() || self.account_code.is_some() || self.lines.is_some();
        self.kind.or(is_coded.then_some(ConfirmType::Coded))
    }

    /// What is wrong with the allocations for the type.
    fn check(&self, reader: &mut StrictReader<'_>) {
        if let (Some(allocations), Some((kind, side))) = (&self.allocations, self.kind().and_then(settlement)) {
            allocations.check(reader, side, kind.is_refund());
        }
    }

    /// What is meant, or what is wrong with it.
    fn meant(self) -> Result<Confirmation, Wrong> {
        let given = self.given();
        let Some(kind) = self.kind() else {
            return match given.iter().any(|(_, given)| *given) {
                true => Err(("type", "is required with what is given")),
                false => Ok(Confirmation::Suggested),
            };
        };
        let (taken, rule): (&[&str], _) = match kind {
            ConfirmType::Coded => {
                let taken = &["account_id", "account_code", "vat_code", "vat_amount", "lines"];
                (taken, "coded takes account_id and vat_code, or lines")
            }
            ConfirmType::CustomerReceipt | ConfirmType::CustomerRefund => {
                (&["customer_id", "allocations"], "this type takes customer_id and allocations")
            }
            ConfirmType::SupplierPayment | ConfirmType::SupplierRefund => {
                (&["supplier_id", "allocations"], "this type takes supplier_id and allocations")
            }
            ConfirmType::Transfer => {
                (&["bank_transaction_id", "bank_account_id"], "transfer takes bank_transaction_id or bank_account_id")
            }
            ConfirmType::Match => (
                &["journal_id", "customer_receipt_id", "supplier_payment_id"],
                "match takes journal_id, customer_receipt_id or supplier_payment_id",
            ),
        };
        if given.iter().any(|(name, given)| *given && !taken.contains(name)) {
            return Err(("type", rule));
        }
        match kind {
            ConfirmType::Coded => self.coded(),
            ConfirmType::Transfer => match (self.transaction, self.bank) {
                (Some(id), None) => Ok(Confirmation::TransferWith(id)),
                (None, Some(id)) => Ok(Confirmation::TransferTo(id)),
                _ => Err(("bank_transaction_id", "exactly one of bank_transaction_id and bank_account_id is required")),
            },
            ConfirmType::Match => match (self.journal, self.receipt, self.payment) {
                (Some(id), None, None) => Ok(Confirmation::MatchJournal(id)),
                (None, Some(id), None) => Ok(Confirmation::MatchSettlement { side: ContactKind::Customer, id }),
                (None, None, Some(id)) => Ok(Confirmation::MatchSettlement { side: ContactKind::Supplier, id }),
                _ => {
                    let rule = "exactly one of journal_id, customer_receipt_id and supplier_payment_id is required";
                    Err(("journal_id", rule))
                }
            },
            _ => self.settlement(kind),
        }
    }

    fn coded(self) -> Result<Confirmation, Wrong> {
        let account = match (self.account_id, self.account_code) {
            (Some(_), Some(_)) => return Err(("account_id", ONE_AT_MOST)),
            (Some(id), None) => Some(AccountReference::Id(AccountId(id))),
            (None, code) => code.map(AccountReference::Code),
        };
        match (account, self.vat_code, self.lines) {
            (None, None, None) if self.vat_amount.is_none() => Ok(Confirmation::Suggested),
            (None, None, Some(lines)) if self.vat_amount.is_none() => {
                Ok(Confirmation::Coded(Coding { lines, is_short: false }))
            }
            (Some(account), Some(vat_code), None) => {
                let (gross, memo) = (Pence::ZERO, None);
                let line = CodedLine { account, gross, vat_code, vat_amount: self.vat_amount, memo };
                Ok(Confirmation::Coded(Coding { lines: vec![line], is_short: true }))
            }
            (Some(AccountReference::Id(_)), None, None) => {
                Err(("vat_code", "is required beside account_id; NV for none"))
            }
            (Some(AccountReference::Code(_)), None, None) => {
                Err(("vat_code", "is required beside account_code; NV for none"))
            }
            _ => Err(("lines", "either account_id with vat_code, or lines")),
        }
    }

    fn settlement(self, kind: ConfirmType) -> Result<Confirmation, Wrong> {
        let Some((kind, side)) = settlement(kind) else { return Ok(Confirmation::Suggested) };
        let contact_id = match side {
            ContactKind::Customer => self.customer.ok_or(("customer_id", "is required"))?,
            ContactKind::Supplier => self.supplier.ok_or(("supplier_id", "is required"))?,
        };
        let allocations = self.allocations.map(Allocations::entries).unwrap_or_default();
        Ok(Confirmation::Settlement { kind, contact_id, allocations })
    }
}

/// The settlement that a type of confirmation makes, and whose.
const fn settlement(kind: ConfirmType) -> Option<(SettlementKind, ContactKind)> {
    Some(match kind {
        ConfirmType::CustomerReceipt => (SettlementKind::CustomerReceipt, ContactKind::Customer),
        ConfirmType::CustomerRefund => (SettlementKind::CustomerRefund, ContactKind::Customer),
        ConfirmType::SupplierPayment => (SettlementKind::SupplierPayment, ContactKind::Supplier),
        ConfirmType::SupplierRefund => (SettlementKind::SupplierRefund, ContactKind::Supplier),
        ConfirmType::Coded | ConfirmType::Transfer | ConfirmType::Match => return None,
    })
}

/// Reads the body that confirms a line; an empty one confirms its suggestion.
pub fn parse_confirmation(text: &[u8]) -> Result<Confirmation, Issues> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Confirmation::Suggested);
    }
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut read = ConfirmRead::default();
    let path = FieldPath::section(BODY);
    let given = reader.object(path, &CONFIRMATION_KEYS, |reader, at| read.field(reader, path, at));
    read.check(&mut reader);
    reader.finish(given)?;
    read.meant().map_err(|(field, message)| {
        let mut issues = Issues::default();
        issues.field(BODY, field, message);
        issues
    })
}

/// Reads the body that confirms many lines.
pub fn parse_batch(text: &[u8]) -> Result<Vec<(i64, Confirmation)>, Issues> {
    const BATCH_NAMES: [&str; 1] = ["items"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut items = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &BATCH_NAMES, |reader, _| {
        reader.list("items", 1..=BATCH_ITEMS_MAX, |reader, path| {
            let (mut id, mut read) = (None, ConfirmRead::default());
            let before = reader.problems();
            let given = reader.object(path, &ITEM_NAMES, |reader, at| match at.checked_sub(1) {
                None => {
                    id = reader.id(path.field("id"))?;
                    Ok(())
                }
                Some(at) => read.field(reader, path, at),
            })?;
            if let Some(given) = given {
                read.check(reader);
                reader.require(path, &ITEM_NAMES, &given, 1);
                // A key that could not be read is not missing.
                if reader.problems() == before {
                    match read.meant() {
                        Ok(confirmation) => items.extend(id.map(|id| (id, confirmation))),
                        Err((field, message)) => reader.problem(path.field(field), message),
                    }
                }
            }
            Ok(())
        })
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &BATCH_NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};

    fn read(text: &str) -> Result<Confirmation, Vec<String>> {
        parse_confirmation(text.as_bytes())
            .map_err(|issues| issues.listed.into_iter().map(|issue| issue.path).collect())
    }

    #[test]
    fn money_of_contacts_is_set_against_documents() {
        let text =
            r#"{"type": "customer_receipt", "customer_id": 3, "allocations": [{"invoice_id": 31, "amount": "9.99"}]}"#;
        let given = AllocationInput { to: AllocationTarget::Invoice(31), amount_pence: 999, cis_suffered_pence: 0 };
        assert_eq!(
            read(text),
            Ok(Confirmation::Settlement {
                kind: SettlementKind::CustomerReceipt,
                contact_id: 3,
                allocations: vec![given]
            })
        );
        let bare =
            Confirmation::Settlement { kind: SettlementKind::SupplierRefund, contact_id: 4, allocations: Vec::new() };
        assert_eq!(read(r#"{"type": "supplier_refund", "supplier_id": 4, "allocations": null}"#), Ok(bare));
        let matched = Confirmation::MatchSettlement { side: ContactKind::Supplier, id: 5 };
        assert_eq!(read(r#"{"type": "match", "supplier_payment_id": 5}"#), Ok(matched));
    }

    #[test]
    fn a_type_takes_its_own_keys() {
        for (text, path) in [
            (r#"{"type": "customer_receipt"}"#, "customer_id"),
            (r#"{"type": "customer_receipt", "supplier_id": 1}"#, "type"),
            (r#"{"customer_id": 1}"#, "type"),
            (r#"{"type": "supplier_payment", "supplier_id": 1, "account_id": 1}"#, "type"),
            (r#"{"type": "match", "customer_receipt_id": 1, "journal_id": 1}"#, "journal_id"),
            (r#"{"type": "coded", "customer_id": 1}"#, "type"),
            (r#"{"type": "coded", "vat_amount": 1}"#, "lines"),
            (
                r#"{"allocations": [{"receipt_id": 1, "amount": 1}], "type": "supplier_refund", "supplier_id": 1}"#,
                "allocations[0].receipt_id",
            ),
            (
                r#"{"allocations": [{"credit_note_id": 1, "amount": 1}], "type": "customer_receipt", "customer_id": 1}"#,
                "allocations[0].credit_note_id",
            ),
        ] {
            assert_eq!(read(text), Err(vec![path.to_owned()]), "{text}");
        }
    }
}
