//! Reading what is said about receipts, payments and their refunds.

use super::allocation::Allocations;
use super::read::body;
use crate::domain::books::records::settlement::{
    NamedSettlementAccount, PaymentMethod, SettlementField, SettlementInput,
};
use crate::domain::date::Date;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::problem::Issues;
use crate::http::wire::books::read::AccountRead;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// What is allowed as a method.
const METHODS: &str = "one of bank_transfer, card, cash, cheque, direct_debit, other";

/// What is wrong with several accounts for the cash, or none.
pub const ONE_ACCOUNT: &str = "exactly one of bank_account_id, account_id and account_code is required";

/// The words for a receipt or payment and for its refund.
pub const fn kinds(side: ContactKind) -> [(&'static str, SettlementKind); 2] {
    match side {
        ContactKind::Customer => {
            [("receipt", SettlementKind::CustomerReceipt), ("refund", SettlementKind::CustomerRefund)]
        }
        ContactKind::Supplier => {
            [("payment", SettlementKind::SupplierPayment), ("refund", SettlementKind::SupplierRefund)]
        }
    }
}

/// The key that names the contact.
const fn contact_key(side: ContactKind) -> &'static str {
    match side {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    }
}

/// Reads the body that posts a settlement.
pub fn parse_new(text: &[u8], side: ContactKind) -> Result<SettlementInput, Issues> {
    let names = [
        contact_key(side),
        "date",
        "amount",
        "bank_account_id",
        "account_id",
        "account_code",
        "kind",
        "reference",
        "memo",
        "method",
        "allocations",
        "auto_allocate",
    ];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut allocations = Allocations::default();
    let (mut bank_account, mut bank_account_is_given, mut account) = (None, false, AccountRead::default());
    let [(first, receipt), (refund, refunded)] = kinds(side);
    let mut entry = SettlementInput {
        kind: receipt,
        contact_id: 0,
        date: Date::MIN,
        amount_pence: 0,
        through: NamedSettlementAccount::Bank(0),
        reference: None,
        memo: None,
        method: None,
        allocations: Vec::new(),
        is_auto_allocated: false,
    };
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        let path = body(names.get(at).copied().unwrap_or_default());
        match at {
            0 => entry.contact_id = reader.id(path)?.unwrap_or_default(),
            1 => entry.date = reader.book_date(path)?.unwrap_or(Date::MIN),
            2 => entry.amount_pence = reader.cash(path)?.map_or(0, |amount| amount.0),
            3 if reader.is_null()? => {}
            3 => (bank_account, bank_account_is_given) = (reader.id(path)?, true),
            4 => account.id(reader, path)?,
            5 => account.code(reader, path)?,
            6 => {
                let parse = |word: &str| kinds(side).into_iter().find(|(known, _)| *known == word);
                let rule = format!("{first} or {refund}");
                entry.kind = reader.word(path, parse, &rule)?.map_or(receipt, |(_, kind)| kind);
            }
            7 => entry.reference = reader.maybe_text(path, 100)?.flatten(),
            8 => entry.memo = reader.maybe_text(path, 500)?.flatten(),
            9 if reader.is_null()? => {}
            9 => entry.method = reader.word(path, PaymentMethod::parse, METHODS)?,
            10 => allocations.read(reader, FieldPath::section(BODY), 0, Some(side))?,
            _ => entry.is_auto_allocated = reader.flag(path)?.unwrap_or_default(),
        }
        Ok(())
    });
    let is_refund = entry.kind == refunded;
    let read = read.map(|given| {
        allocations.check(&mut reader, side, is_refund);
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &names, &given, 3);
            if u8::from(bank_account_is_given) + account.keys_given() != 1 {
                reader.problem(body("bank_account_id"), ONE_ACCOUNT);
            }
        }
    });
    reader.finish(read)?;
    let named = bank_account.map(NamedSettlementAccount::Bank);
    entry.through = named.or(account.named().map(NamedSettlementAccount::Account)).ok_or_else(Issues::default)?;
    entry.allocations = allocations.entries();
    Ok(entry)
}

/// Reads the body that changes what is said of a settlement.
pub fn parse_patch(text: &[u8]) -> Result<Vec<SettlementField>, Issues> {
    const NAMES: [&str; 2] = ["reference", "memo"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        let field = |reader: &mut StrictReader<'_>| -> Reading<Option<SettlementField>> {
            Ok(match at {
                0 => reader.maybe_text(body("reference"), 100)?.map(SettlementField::Reference),
                _ => reader.maybe_text(body("memo"), 500)?.map(SettlementField::Memo),
            })
        };
        fields.extend(field(reader)?);
        Ok(())
    });
    let read = read.map(|given| reader.require_some(given));
    reader.finish(read)?;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
    use crate::domain::ids::AccountId;
    use crate::domain::ledger::chart::AccountReference;

    fn paths(read: Result<impl Sized, Issues>) -> Vec<String> {
        read.err().unwrap().listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn a_settlement_is_read_with_what_may_be_left_out() {
        let text = br#"{"customer_id": 3, "date": "2025-05-16", "amount": "700.00", "bank_account_id": 2}"#;
        let entry = parse_new(text, ContactKind::Customer).unwrap();
        assert_eq!((entry.kind, entry.amount_pence, entry.method), (SettlementKind::CustomerReceipt, 70_000, None));
        assert_eq!(entry.through, NamedSettlementAccount::Bank(2));
        let text = br#"{"supplier_id": 3, "date": "2025-05-16", "amount": 1, "bank_account_id": 2, "method": "cheque",
            "allocations": [{"payment_id": 5, "amount": 1}], "kind": "refund", "auto_allocate": true, "memo": ""}"#;
        let entry = parse_new(text, ContactKind::Supplier).unwrap();
        assert_eq!((entry.kind, entry.method), (SettlementKind::SupplierRefund, Some(PaymentMethod::Cheque)));
        let given = AllocationInput { to: AllocationTarget::Settlement(5), amount_pence: 100, cis_suffered_pence: 0 };
        assert_eq!((entry.allocations, entry.is_auto_allocated, entry.memo), (vec![given], true, None));
    }

    #[test]
    fn the_cash_moves_through_one_account() {
        let read = |keys: &str| {
            let text = format!(r#"{{"supplier_id": 1, "date": "2025-05-16", "amount": 1{keys}}}"#);
            parse_new(text.as_bytes(), ContactKind::Supplier).map(|entry| entry.through)
        };
        let by_id = NamedSettlementAccount::Account(AccountReference::Id(AccountId(9)));
        assert_eq!(read(r#", "account_id": 9"#).unwrap(), by_id);
        assert_eq!(read(r#", "account_id": 9, "bank_account_id": null, "account_code": null"#).unwrap(), by_id);
        let by_code = NamedSettlementAccount::Account(AccountReference::Code("2400".to_owned()));
        assert_eq!(read(r#", "account_code": "2400""#).unwrap(), by_code);
        for keys in [
            "",
            r#", "bank_account_id": null"#,
            r#", "bank_account_id": 2, "account_id": 9"#,
            r#", "bank_account_id": 2, "account_code": "2400""#,
            r#", "account_id": 9, "account_code": "2400""#,
        ] {
            assert_eq!(paths(read(keys)), ["bank_account_id"], "{keys}");
        }
        assert_eq!(paths(read(r#", "account_id": "9""#)), ["account_id"]);
        assert_eq!(paths(read(r#", "bank_account_id": 0"#)), ["bank_account_id"]);
        assert_eq!(paths(read(r#", "account_code": """#)), ["account_code"]);
    }

    #[test]
    fn what_a_settlement_goes_to_follows_its_kind() {
        let text = |kind: &str, target: &str| {
            format!(
                r#"{{"customer_id": 3, "date": "2025-05-16", "allocations": [{{"{target}": 5, "amount": 1}}],
                    "amount": -1, "bank_account_id": 2, "kind": "{kind}"}}"#
            )
        };
        let refused = |kind: &str, target: &str| paths(parse_new(text(kind, target).as_bytes(), ContactKind::Customer));
        assert_eq!(refused("receipt", "credit_note_id"), ["allocations[0].credit_note_id", "amount"]);
        assert_eq!(refused("receipt", "receipt_id"), ["allocations[0].receipt_id", "amount"]);
        assert_eq!(refused("refund", "invoice_id"), ["allocations[0].invoice_id", "amount"]);
        assert_eq!(refused("refund", "receipt_id"), ["amount"]);
        assert_eq!(refused("payment", "invoice_id"), ["amount", "kind"]);
        assert_eq!(
            paths(parse_new(br#"{"supplier_id": 1, "x": 1}"#, ContactKind::Customer)),
            ["supplier_id", "x", "customer_id", "date", "amount", "bank_account_id"]
        );
        assert_eq!(paths(parse_patch(br#"{"amount": 1}"#)), ["amount", "body"]);
        assert_eq!(
            parse_patch(br#"{"memo": null, "reference": "R"}"#).unwrap(),
            [SettlementField::Memo(None), SettlementField::Reference(Some("R".to_owned()))]
        );
    }
}
