//! Lines of documents, bank lines and journals: what is sent and what the bookkeeper knows of it.

use serde_json::{Value, json};

use super::random::Random;
use crate::books::vat_notice_model::{
    Account, Code, EnteredLine, Kind, Line, Pence, ReverseCharge, Scheme, share, vat_within,
};

/// A line of a document.
#[derive(Debug, Clone, Copy)]
pub struct Drafted {
    pub line: Line,
    pub account: &'static str,
    pub cis_type: Option<&'static str>,
    /// The price as it is sent, VAT included when the document says so.
    price: Pence,
    says_vat: bool,
}

pub fn text(amount: Pence) -> String {
    let sign = if amount < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", amount.abs() / 100, amount.abs() % 100)
}

pub const fn code_text(code: Code) -> &'static str {
    match code {
        Code::Standard => "ST",
        Code::Reduced => "RR",
        Code::Zero => "ZR",
        Code::Exempt => "EX",
        Code::OutsideTheScope => "NV",
    }
}

fn some_code(random: &mut Random) -> Code {
    match random.below(20) {
        0..=10 => Code::Standard,
        11..=13 => Code::Reduced,
        14..=15 => Code::Zero,
        16..=17 => Code::Exempt,
        _ => Code::OutsideTheScope,
    }
}

fn some_price(random: &mut Random, is_asset: bool) -> Pence {
    match random.below(10) {
        _ if is_asset => random.between(60_000, 300_000),
        0 => random.between(1, 20),
        1 => random.between(100_000, 400_000),
        _ => random.between(100, 40_000),
    }
}

/// Lines under the scheme of the document's date.
pub fn drafted(random: &mut Random, kind: Kind, scheme: Scheme, with_cis: bool) -> (Vec<Drafted>, bool) {
    let inclusive = random.chance(25);
    let lines = (0..random.between(1, 3)).map(|at| {
        let is_asset = random.chance(if kind.is_sale() { 8 } else { 18 });
        let account = match (kind.is_sale(), is_asset) {
            (_, true) => "0030",
            (true, false) => random.pick(&["4000", "4000", "4000", "4100", "4900", "2410"]),
            (false, false) => random.pick(&["5000", "5000", "7500", "7610", "1310"]),
        };
        let code =
            if is_asset { random.pick(&[Code::Standard, Code::Standard, Code::Zero]) } else { some_code(random) };
        let mut price = some_price(random, is_asset);
        if at > 0 && random.chance(12) {
            price = -price / 4 - 1;
        }
        let charged = matches!(code, Code::Standard | Code::Reduced) && !is_asset && !inclusive && random.chance(12);
        let reverse_charge = charged.then(|| {
            let imported = !kind.is_sale() && random.chance(50);
            if imported { ReverseCharge::ImportedServices } else { ReverseCharge::Domestic }
        });
        let is_flat_rate = matches!(scheme, Scheme::FlatRate { .. });
        let outside_turnover = kind.is_sale() && is_asset && is_flat_rate && random.chance(50);
        let (net, vat) = if inclusive {
            (price - vat_within(price, code), vat_within(price, code))
        } else {
            (price, if reverse_charge.is_some() { 0 } else { share(price, code.rate(), 100) })
        };
        let mut line = Line { fixed_asset: is_asset, code, net, vat, reverse_charge, outside_turnover };
        let says_vat = vat.abs() > 200 && !inclusive && random.chance(15);
        if says_vat {
            line.vat += if kind.is_sale() { random.between(-1, 1) } else { random.between(-90, 90) };
        }
        let cis_type = with_cis.then(|| random.pick(&["labour", "labour", "materials"]));
        Drafted { line, account, cis_type, price, says_vat }
    });
    (lines.collect(), inclusive)
}

/// Credit for all or a part of an invoice.
pub fn credited(random: &mut Random, of: &[Drafted]) -> Vec<Drafted> {
    let percent = random.pick(&[100, 100, 50, 33, 10]);
    let credit = |drafted: &Drafted| {
        let mut line = drafted.line;
        if percent < 100 {
            line.net = share(line.net, percent, 100);
            line.vat = share(line.vat, percent, 100);
        }
        // The VAT of a part is within a penny of what the rate gives, as long as the invoice's was.
        let charged = if line.reverse_charge.is_some() { 0 } else { share(line.net, line.code.rate(), 100) };
        Drafted { line, price: line.net, says_vat: line.vat != charged, ..*drafted }
    };
    of.iter().map(credit).filter(|drafted| drafted.line.net != 0).collect()
}

impl Drafted {
    pub fn sent(&self) -> Value {
        let mut sent = json!({
            "description": "x", "account_code": self.account, "unit_price": text(self.price), "vat_code": code_text(self.line.code),
        });
        if self.says_vat {
            sent["vat_amount"] = json!(text(self.line.vat));
        }
        match self.line.reverse_charge {
            Some(ReverseCharge::Domestic) => sent["reverse_charge"] = json!("domestic"),
            Some(ReverseCharge::ImportedServices) => sent["reverse_charge"] = json!("imported_services"),
            None => {}
        }
        if self.line.outside_turnover {
            sent["vat_basis"] = json!("standard");
        }
        if let Some(cis_type) = self.cis_type {
            sent["cis_type"] = json!(cis_type);
        }
        sent
    }
}

pub fn gross(lines: &[Drafted]) -> Pence {
    lines.iter().map(|drafted| drafted.line.net + drafted.line.vat).sum()
}

/// Parts of a bank line, or lines of a journal: account and what is known of it.
pub fn entered(random: &mut Random) -> Vec<(&'static str, EnteredLine)> {
    const ACCOUNTS: [(&str, Account); 8] = [
        ("4000", Account::Revenue),
        ("4000", Account::Revenue),
        ("4910", Account::Revenue),
        ("5000", Account::Expense),
        ("7500", Account::Expense),
        ("0030", Account::FixedAsset),
        ("0030", Account::FixedAsset),
        ("1310", Account::Asset),
    ];
    let lines = (0..random.between(1, 3)).map(|_| {
        let (code, account) = random.pick(&ACCOUNTS);
        if random.chance(8) {
            let gross = -random.between(1, 5_000);
            return ("2300", EnteredLine { account: Account::Other, code: Code::OutsideTheScope, gross, vat: 0 });
        }
        let vat_code = some_code(random);
        let is_out = random.chance(if account == Account::Revenue { 15 } else { 75 });
        let amount = some_price(random, account == Account::FixedAsset);
        let gross = if is_out { -amount } else { amount };
        let mut vat = vat_within(gross, vat_code);
        if vat.abs() > 200 && random.chance(10) {
            vat -= vat.signum();
        }
        (code, EnteredLine { account, code: vat_code, gross, vat })
    });
    lines.collect()
}
