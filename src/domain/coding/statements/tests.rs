//! What statements are read from, and what they are not read from.

use std::borrow::Cow;

use super::*;
use crate::domain::coding::batch::{AccountType, Batch, Transaction};
use crate::domain::coding::knowledge::Knowledge;
use crate::domain::date::Date;

const CHART: &[(&str, AccountType)] = &[
    ("Bar Stock", AccountType::Expense),
    ("Small Tools", AccountType::Expense),
    ("Sales:Books", AccountType::Income),
    ("Sales:Cafe", AccountType::Income),
    ("Salon Services Income", AccountType::Income),
    ("Patient Takings Control", AccountType::Liability),
    ("VAT Control", AccountType::Liability),
    ("Lloyds Current", AccountType::Asset),
];

/// What a context states of lines with these descriptions.
fn read(context: &str, descriptions: &[&str], check: impl Fn(&Statements)) {
    let accounts: Vec<Account<'_>> = CHART
        .iter()
        .map(|(name, kind)| Account { code: Cow::Borrowed("1"), name: Cow::Borrowed(*name), kind: *kind })
        .collect();
    let transactions: Vec<Transaction<'_>> = descriptions
        .iter()
        .map(|description| Transaction {
            date: Date::from_civil(2026, 1, 5),
            description: Cow::Borrowed(*description),
            amount: -1,
            merchant: None,
            reference: None,
            bank_account: None,
            merchant_category_code: None,
        })
        .collect();
    let batch = Batch { transactions, ..Batch::default() };
    let (lines, _) = Line::read_all(&batch);
    check(&Statements::read(context, &accounts, &lines, &Knowledge::get().words, &|_| false));
}

fn account(context: &str, description: &str) -> Option<&'static str> {
    let found = std::cell::Cell::new(None);
    read(context, &[description], |statements| {
        found.set(statements.account(&fold(description), |_| true).map(|(account, _)| account));
    });
    found.get().map(|account| CHART[account].0)
}

fn vat(context: &str, description: &str) -> Option<VatSaid> {
    let found = std::cell::Cell::new(None);
    read(context, &[description], |statements| found.set(statements.vat(&fold(description))));
    found.get()
}

#[test]
fn names_are_sent_to_accounts_in_many_words() {
    for (context, description, name) in [
        ("Tressling = bar stock, Pelham is small tools", "TRESSLING LTD", "Bar Stock"),
        ("Tressling = bar stock, Pelham is small tools", "PELHAM DIRECT", "Small Tools"),
        ("What Tressling sends us goes to Bar Stock", "TRESSLING LTD", "Bar Stock"),
        ("We have a Zettle machine: put it all to Book Sales", "ZETTLE PAYOUT", "Sales:Books"),
        ("so just put all the Dojo and Tressling money to services.", "DOJO PAYOUT", "Salon Services Income"),
        (
            "Money from patients (card machine settlements, cash) goes to Patient Takings Control with no VAT",
            "WORLDPAY 0031",
            "Patient Takings Control",
        ),
    ] {
        assert_eq!(account(context, description), Some(name), "{context}");
    }
}

#[test]
fn nothing_is_stated_of_people_of_other_names_and_of_vat_accounts() {
    for (context, description) in [
        ("Karen Tressling is small tools", "K TRESSLING"),
        ("Tressling charge us rent plus VAT", "TRESSLING RENT"),
        ("Tressling is next door, and Pelham is small tools", "TRESSLING LTD"),
        ("Tressling pays into Lloyds current", "TRESSLING LTD"),
    ] {
        assert_eq!(account(context, description), None, "{context}");
    }
}

#[test]
fn what_suppliers_charge_is_read() {
    let standard = Some(VatSaid::Code(Vat::Standard));
    let none = Some(VatSaid::NotCharged);
    for (context, description, said) in [
        ("Tressling isn't VAT registered", "TRESSLING LTD", none),
        ("Tressling, one man band not registered", "TRESSLING LTD", none),
        ("The unit belongs to Pelham Estates, who charge VAT on the rent", "PELHAM ESTATES RENT", standard),
        ("Tressling have opted to tax", "TRESSLING LTD", standard),
        (
            "Malt from Pelham is zero rated. Hops from Tressling have VAT on",
            "PELHAM MALT",
            Some(VatSaid::Code(Vat::Zero)),
        ),
        ("Malt from Pelham is zero rated. Hops from Tressling have VAT on", "TRESSLING HOPS", standard),
        ("We don't charge VAT to Pelham", "PELHAM", None),
        ("Pelham sells the zero-rated books", "PELHAM", None),
    ] {
        assert_eq!(vat(context, description), said, "{context}: {description}");
    }
}

#[test]
fn what_is_the_owners_own_is_private() {
    read("Netling, Pelham and the gym are mine; Tressling is not mine", &["NETLING", "TRESSLING"], |statements| {
        assert!(statements.is_private("NETLING COM"));
        assert!(!statements.is_private("TRESSLING LTD"));
    });
}
