//! Reading what money and credit are set against, and what is released again.

use super::read::body;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::date::Date;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::problem::Issues;
use crate::http::wire::books::read::strict_list;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// Allocations of one request.
pub const ALLOCATIONS_MAX: u64 = 200;

/// What an allocation of a customer's receipt or refund says.
const OF_CUSTOMER: [&str; 5] = ["amount", "invoice_id", "credit_note_id", "receipt_id", "cis_suffered"];
/// What an allocation of a supplier's says: what is withheld from suppliers is computed.
const OF_SUPPLIER: [&str; 4] = ["amount", "invoice_id", "credit_note_id", "payment_id"];
/// What either says, where only the kind of settlement tells which is meant.
const OF_EITHER: [&str; 6] = ["amount", "invoice_id", "credit_note_id", "receipt_id", "payment_id", "cis_suffered"];

/// Allocations as read, each with where it stands: what they may go to is known only with the kind of settlement, which
/// may come after them.
#[derive(Debug, Default)]
pub struct Allocations {
    read: Vec<(usize, FieldPath<'static>, Read)>,
}

/// An allocation as read.
#[derive(Debug)]
struct Read {
    /// The key of what it goes to.
    key: &'static str,
    /// Whether it says what was withheld beside it.
    has_cis: bool,
    entry: AllocationInput,
}

impl Allocations {
    /// Reads a list of allocations; of either side when none is known yet.
    pub fn read(
        &mut self,
        reader: &mut StrictReader<'_>,
        around: FieldPath<'_>,
        least: u64,
        side: Option<ContactKind>,
    ) -> Reading<()> {
        reader.list_in(around, "allocations", least..=ALLOCATIONS_MAX, |reader, path| {
            let read = match side {
                Some(ContactKind::Customer) => entry(reader, path, &OF_CUSTOMER)?,
                Some(ContactKind::Supplier) => entry(reader, path, &OF_SUPPLIER)?,
                None => entry(reader, path, &OF_EITHER)?,
            };
            self.read.extend(read.map(|read| (reader.at(), path, read)));
            Ok(())
        })
    }

    /// Refuses what a receipt or payment, or a refund of one, cannot be set against.
    pub fn check(&self, reader: &mut StrictReader<'_>, side: ContactKind, is_refund: bool) {
        let own = match side {
            ContactKind::Customer => "receipt_id",
            ContactKind::Supplier => "payment_id",
        };
        for (at, path, Read { key, has_cis, entry }) in &self.read {
            let (key, message) = match (entry.to, is_refund) {
                (AllocationTarget::Invoice(_), true) => (*key, "a refund is not set against an invoice"),
                (AllocationTarget::CreditNote(_) | AllocationTarget::Settlement(_), false) => {
                    (*key, "only a refund is set against this; receipts and payments go to invoices")
                }
                (AllocationTarget::Settlement(_), true) if *key != own => {
                    (*key, "a refund gives back one of its own side")
                }
                _ if *has_cis && side == ContactKind::Supplier => {
                    ("cis_suffered", "is for receipts; what is withheld from suppliers is computed")
                }
                _ => continue,
            };
            reader.late_problem(*at, path.field(key), message);
        }
    }

    /// What was read.
    pub fn entries(self) -> Vec<AllocationInput> {
        self.read.into_iter().map(|(_, _, read)| read.entry).collect()
    }
}

fn entry<const N: usize>(
    reader: &mut StrictReader<'_>,
    path: FieldPath<'static>,
    names: &[&'static str; N],
) -> Reading<Option<Read>> {
    let (mut amount, mut targets, mut cis_suffered) = (None, Vec::new(), None);
    let given = reader.object(path, names, |reader, at| {
        let name = names.get(at).copied().unwrap_or_default();
        let path = path.field(name);
        if at > 0 && reader.is_null()? {
            return Ok(());
        }
        match name {
            "amount" => amount = reader.cash(path)?,
            "invoice_id" => targets.push((name, reader.id(path)?.map(AllocationTarget::Invoice))),
            "credit_note_id" => targets.push((name, reader.id(path)?.map(AllocationTarget::CreditNote))),
            "cis_suffered" => cis_suffered = reader.positive_money(path)?,
            _ => targets.push((name, reader.id(path)?.map(AllocationTarget::Settlement))),
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, names, &given, 1);
    let [(key, target)] = targets.as_slice() else {
        let [_, one, rest @ ..] = names.as_slice() else { return Ok(None) };
        if rest.is_empty() {
            reader.problem(path.field(one), format_args!("{one} is required"));
        } else {
            let ids = names.iter().filter(|name| name.ends_with("_id")).copied().collect::<Vec<_>>().join(", ");
            reader.problem(path.field(one), format_args!("exactly one of {ids} is required"));
        }
        return Ok(None);
    };
    if cis_suffered.is_some() && *key != "invoice_id" {
        reader.problem(path.field("cis_suffered"), "is for what is set against an invoice");
    }
    let (Some(amount), Some(to)) = (amount, *target) else { return Ok(None) };
    let cis_suffered_pence = cis_suffered.map_or(0, |amount| amount.0);
    let entry = AllocationInput { to, amount_pence: amount.0, cis_suffered_pence };
    Ok(Some(Read { key, has_cis: cis_suffered.is_some(), entry }))
}

/// Reads the body that sets more of a settlement against documents.
pub fn parse_settlement_allocations(text: &[u8], side: ContactKind) -> Result<Vec<AllocationInput>, Issues> {
    const NAMES: [&str; 1] = ["allocations"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut allocations = Allocations::default();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, _| {
        allocations.read(reader, FieldPath::section(BODY), 1, Some(side))
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(allocations.entries())
}

/// Reads the body that sets a credit note against invoices, and from when.
pub fn parse_credit_allocations(text: &[u8]) -> Result<(Vec<AllocationInput>, Option<Date>), Issues> {
    const NAMES: [&str; 2] = ["allocations", "date"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut allocations, mut date) = (Vec::new(), None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => {
                allocations = strict_list(reader, "allocations", 1..=ALLOCATIONS_MAX, |reader, path| {
                    Ok(entry(reader, path, &["amount", "invoice_id"])?.map(|read| read.entry))
                })?;
            }
            _ if reader.is_null()? => {}
            _ => date = reader.book_date(body("date"))?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok((allocations, date))
}

/// Reads the body that releases allocations.
pub fn parse_release(text: &[u8]) -> Result<Vec<i64>, Issues> {
    const NAMES: [&str; 1] = ["allocation_ids"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut ids = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, _| {
        ids = strict_list(reader, "allocation_ids", 1..=ALLOCATIONS_MAX, |reader, path| reader.id(path))?;
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 1);
        }
    });
    reader.finish(read)?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(read: Result<impl Sized, Issues>) -> Vec<String> {
        read.err().unwrap().listed.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn an_allocation_goes_to_one_thing() {
        let read = |text: &str| parse_settlement_allocations(text.as_bytes(), ContactKind::Customer);
        let text = r#"{"allocations": [{"invoice_id": 7, "amount": "10.00", "cis_suffered": 2}, {"amount": 1, "receipt_id": 3, "invoice_id": null}]}"#;
        assert_eq!(
            read(text).unwrap(),
            [
                AllocationInput { to: AllocationTarget::Invoice(7), amount_pence: 1_000, cis_suffered_pence: 200 },
                AllocationInput { to: AllocationTarget::Settlement(3), amount_pence: 100, cis_suffered_pence: 0 },
            ]
        );
        let text = r#"{"allocations": [{"amount": 0, "invoice_id": 1}, {"amount": 1}, {"invoice_id": 1, "receipt_id": 2},
            {"amount": 1, "payment_id": 2}, {"amount": 1, "receipt_id": 2, "cis_suffered": 0}, 5]}"#;
        assert_eq!(
            paths(read(text)),
            [
                "allocations[0].amount",
                "allocations[1].invoice_id",
                "allocations[2].amount",
                "allocations[2].invoice_id",
                "allocations[3].payment_id",
                "allocations[3].invoice_id",
                "allocations[4].cis_suffered",
                "allocations[5]"
            ]
        );
        assert_eq!(paths(read(r#"{"allocations": []}"#)), ["allocations"]);
        let supplier = br#"{"allocations": [{"invoice_id": 1, "amount": 1, "cis_suffered": 1, "receipt_id": 1}]}"#;
        assert_eq!(
            paths(parse_settlement_allocations(supplier, ContactKind::Supplier)),
            ["allocations[0].cis_suffered", "allocations[0].receipt_id"]
        );
    }

    #[test]
    fn credit_goes_to_invoices_and_releases_name_allocations() {
        let (read, date) =
            parse_credit_allocations(br#"{"allocations": [{"invoice_id": 7, "amount": 24.08}], "date": "2025-05-20"}"#)
                .unwrap();
        assert_eq!(
            (read[0].to, read[0].amount_pence, date),
            (AllocationTarget::Invoice(7), 2_408, Date::parse("2025-05-20"))
        );
        let wrong = br#"{"allocations": [{"credit_note_id": 7, "amount": 1}], "date": "x", "more": 1}"#;
        assert_eq!(
            paths(parse_credit_allocations(wrong)),
            ["allocations[0].credit_note_id", "allocations[0].invoice_id", "date", "more"]
        );
        assert_eq!(parse_release(br#"{"allocation_ids": [5, 6]}"#).unwrap(), [5, 6]);
        assert_eq!(
            paths(parse_release(br#"{"allocation_ids": [0, "5"]}"#)),
            ["allocation_ids[0]", "allocation_ids[1]"]
        );
        assert_eq!(paths(parse_release(b"{}")), ["allocation_ids"]);
    }
}
