//! VAT returns of random books beside a naive model that goes through all lines and allocations: three schemes, changes between
//! them in the middle of unpaid documents, part payments, credit, voids, reverse charges, bank lines and adjustments.
//! `MODEL_SEED` and `MODEL_STEPS` try others.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use xtask::random::Random;

use super::cases::{Case, to_invoices};
use super::figures::pence;
use super::model::number_from;
use super::vat_return::assert_ties;
use crate::support::database::{Database, on_both_databases};

const STEPS: u64 = 90;

/// Boxes 1, 4, 6 and 7 without the percentage of the flat rate, turnover of the flat rate, and the VAT charged on it.
type Sums = [i64; 6];

/// A scheme with its percentage, and the day from which it applies.
type Scheme = (&'static str, &'static str, Option<f64>, &'static str);

/// Year and a half of schemes; each seed begins the list elsewhere.
const SCHEMES: [Scheme; 6] = [
    ("2024-01-01", "standard", None, "invoice"),
    ("2024-10-01", "cash", None, "invoice"),
    ("2025-01-01", "flat_rate", Some(9.5), "invoice"),
    ("2025-04-01", "flat_rate", Some(9.5), "cash"),
    ("2025-07-01", "cash", None, "invoice"),
    ("2025-10-01", "flat_rate", Some(12.5), "invoice"),
];

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn day_of(value: &Value) -> NaiveDate {
    date(value.as_str().unwrap())
}

/// Half a penny away from zero.
fn share(amount: i64, part: i64, whole: i64) -> i64 {
    let product = i128::from(amount) * i128::from(part) * 2;
    let whole = i128::from(whole);
    let rounded = (product.abs() + whole.abs()) / (whole.abs() * 2);
    i64::try_from(rounded * product.signum() * whole.signum()).unwrap()
}

struct Run {
    case: Case,
    random: Random,
    schemes: Vec<Scheme>,
    open: Vec<(Value, bool)>,
    settlements: Vec<(Value, bool)>,
    /// Bank lines and adjustments as they were accepted.
    direct: Vec<(NaiveDate, Sums)>,
}

impl Run {
    fn new(database: &Database, seed: u64) -> Self {
        let case = Case::on(database);
        let mut random = Random::new(seed);
        let turn = random.index(SCHEMES.len());
        let kinds: Vec<_> = SCHEMES.iter().cycle().skip(turn).take(SCHEMES.len()).collect();
        let schemes: Vec<Scheme> =
            SCHEMES.iter().zip(kinds).map(|(day, kind)| (day.0, kind.1, kind.2, kind.3)).collect();
        for (from, scheme, percent, basis) in &schemes {
            let body = json!({
                "vat_registered": true, "vat_scheme": scheme, "vat_scheme_from": from, "flat_rate_percent": percent, "flat_rate_basis": basis
            });
            case.request("PATCH", "").json(&body).send().expect(200);
        }
        // Another percentage within a period.
        let body = json!({ "flat_rate_percent": 11, "vat_scheme_from": "2025-11-17" });
        let mut schemes = schemes;
        if schemes.last().unwrap().1 == "flat_rate" {
            case.request("PATCH", "").json(&body).send().expect(200);
            let basis = schemes.last().unwrap().3;
            schemes.push(("2025-11-17", "flat_rate", Some(11.0), basis));
        }
        Self { case, random, schemes, open: Vec::new(), settlements: Vec::new(), direct: Vec::new() }
    }

    fn scheme_on(&self, day: NaiveDate) -> Scheme {
        *self.schemes.iter().rev().find(|scheme| date(scheme.0) <= day).unwrap()
    }

    /// Hundredths of a percent.
    fn percent_on(&self, day: NaiveDate) -> (usize, i64) {
        let mut stretches: Vec<(NaiveDate, i64)> = Vec::new();
        for (from, _, percent, _) in &self.schemes {
            if let Some(percent) = percent {
                let hundredths = (percent * 100.0).round() as i64;
                if stretches.last().is_none_or(|last| last.1 != hundredths) {
                    stretches.push((date(from), hundredths));
                }
            }
        }
        let at = stretches.iter().rposition(|(from, _)| *from <= day).unwrap_or(0);
        (at, stretches.get(at).map_or(0, |stretch| stretch.1))
    }

    fn any_day(&mut self) -> NaiveDate {
        date("2024-09-01") + Days::new(self.random.below(540))
    }

    fn day_from(&mut self, first: NaiveDate) -> NaiveDate {
        first + Days::new(self.random.below(150))
    }

    fn lines(&mut self, account: &str, is_sale: bool) -> Vec<Value> {
        let many = self.random.between(1, 3);
        (0..many)
            .map(|_| {
                let code = *self.random.pick(&["ST", "RR", "ZR", "EX", "NV", "ST"]).unwrap();
                let net = self.random.between(1, 50_000);
                let mut line = self.case.line(account, &format!("{}.{:02}", net / 100, net % 100), code);
                if ["ST", "RR"].contains(&code) && self.random.chance(15) {
                    let kinds: &[&str] = if is_sale { &["domestic"] } else { &["domestic", "imported_services"] };
                    line["reverse_charge"] = json!(self.random.pick(kinds).unwrap());
                }
                line
            })
            .collect()
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..40 => self.draw_up(),
            40..65 => self.pay(),
            65..72 => self.credit(),
            72..78 => self.void_settlement(),
            78..84 => self.void_document(),
            84..94 => self.bank_line(),
            _ => self.adjust(),
        }
    }

    fn draw_up(&mut self) {
        let (day, is_sale) = (self.any_day(), self.random.chance(60));
        let lines = self.lines(if is_sale { "4000" } else { "5000" }, is_sale);
        let mut body =
            if is_sale { self.case.sale(&day.to_string(), &lines) } else { self.case.bill(&day.to_string(), &lines) };
        if self.scheme_on(day).1 == "cash" && self.random.chance(10) {
            body["vat_basis"] = json!("standard");
        }
        let path = if is_sale { "/sales-invoices" } else { "/purchase-invoices" };
        let made = self.case.made(path, &body);
        if pence(&made["gross_amount"]) > 0 {
            self.open.push((made, is_sale));
        }
    }

    fn pay(&mut self) {
        let Some((document, is_sale)) = self.random.pick(&self.open).cloned() else { return };
        let path = if is_sale { "/sales-invoices" } else { "/purchase-invoices" };
        let due = pence(&self.case.shown(&format!("{path}/{}", document["id"]))["amount_due"]);
        if due == 0 {
            return;
        }
        let amount = if self.random.chance(50) {
            due
        } else {
            i64::try_from(self.random.between(1, u64::try_from(due).unwrap())).unwrap()
        };
        let amount = format!("{}.{:02}", amount / 100, amount % 100);
        let day = self.day_from(day_of(&document["invoice_date"])).to_string();
        let (who, id, path) = if is_sale {
            ("customer_id", self.case.customer, "/customer-receipts")
        } else {
            ("supplier_id", self.case.supplier, "/supplier-payments")
        };
        let body = json!({
            who: id, "date": day, "amount": amount, "bank_account_id": self.case.bank, "allocations": to_invoices(&[(&document, amount.as_str())])
        });
        let made = self.case.post(path, &body);
        if made.status == 201 {
            self.settlements.push((made.value()["data"].clone(), is_sale));
        }
    }

    /// A credit note that takes back the first line of an invoice, wholly set against it where that has room for it.
    fn credit(&mut self) {
        let Some((document, is_sale)) = self.random.pick(&self.open).cloned() else { return };
        let first = &document["lines"][0];
        let mut line = json!({
            "description": "x", "account_id": first["account_id"], "unit_price": first["net_amount"], "vat_code": first["vat_code"]
        });
        if !first["reverse_charge"].is_null() {
            line["reverse_charge"] = first["reverse_charge"].clone();
        }
        let (who, id, path) = if is_sale {
            ("customer_id", self.case.customer, "/sales-credit-notes")
        } else {
            ("supplier_id", self.case.supplier, "/purchase-credit-notes")
        };
        let body = json!({
            who: id, "credit_note_date": document["invoice_date"], "invoice_id": document["id"], "lines": [line]
        });
        let made = self.case.post(path, &body);
        // Of a void invoice nothing is taken back.
        assert!([201, 409].contains(&made.status), "{made}");
        if made.status == 201 {
            let note = made.value()["data"].clone();
            let allocation =
                json!({ "allocations": [{ "invoice_id": document["id"], "amount": note["gross_amount"] }] });
            self.case.post(&format!("{path}/{}/allocate", note["id"]), &allocation);
        }
    }

    fn void_settlement(&mut self) {
        let Some((settlement, is_sale)) = self.random.pick(&self.settlements).cloned() else { return };
        let path = if is_sale { "/customer-receipts" } else { "/supplier-payments" };
        let day = self.day_from(day_of(&settlement["date"])).to_string();
        self.case.post(&format!("{path}/{}/void", settlement["id"]), &json!({ "void_date": day }));
    }

    fn void_document(&mut self) {
        let Some((document, is_sale)) = self.random.pick(&self.open).cloned() else { return };
        let path = if is_sale { "/sales-invoices" } else { "/purchase-invoices" };
        let day = self.day_from(day_of(&document["invoice_date"])).to_string();
        self.case.post(&format!("{path}/{}/void", document["id"]), &json!({ "void_date": day }));
    }

    fn bank_line(&mut self) {
        let (day, is_sale) = (self.any_day(), self.random.chance(50));
        let gross = i64::try_from(self.random.between(1, 90_000)).unwrap();
        let (code, rate) = *self.random.pick(&[("ST", 20), ("RR", 5), ("ZR", 0), ("EX", 0)]).unwrap();
        let sign = if is_sale { "" } else { "-" };
        let row = self.case.row(&day.to_string(), &format!("{sign}{}.{:02}", gross / 100, gross % 100));
        let account = self.case.account_id(if is_sale { "4000" } else { "7500" });
        self.case.confirm(&row, &json!({ "account_id": account, "vat_code": code })).expect(200);
        let vat = share(gross, rate, 100 + rate);
        let sums = match (self.scheme_on(day).1, is_sale) {
            ("flat_rate", true) => [0, 0, gross, 0, gross, vat],
            ("flat_rate", false) => [0; 6],
            (_, true) => [vat, 0, gross - vat, 0, 0, 0],
            (_, false) => [0, vat, 0, gross - vat, 0, 0],
        };
        self.direct.push((day, sums));
    }

    fn adjust(&mut self) {
        let day = self.any_day();
        let amount = i64::try_from(self.random.between(1, 9_000)).unwrap();
        let text = format!("{}.{:02}", amount / 100, amount % 100);
        let body = json!({
            "date": day.to_string(), "reason": "other", "description": "x", "account_code": "7400",
            "entries": [{ "box": 1, "amount": text }, { "box": 7, "amount": text }]
        });
        let made = self.case.made("/vat-adjustments", &body);
        self.direct.push((day, [amount, 0, 0, amount, 0, 0]));
        if self.random.chance(40) {
            let void = self.day_from(day);
            self.case.done(&format!("/vat-adjustments/{}/void", made["id"]), &json!({ "void_date": void.to_string() }));
            self.direct.push((void, [-amount, 0, 0, -amount, 0, 0]));
        }
    }
}

/// From when, until when, how much, and of credit its net and VAT with a code.
type Settled = (NaiveDate, Option<NaiveDate>, i64, Option<(i64, i64)>);

/// A document as the model counts it.
struct Document {
    is_sale: bool,
    sign: i64,
    basis: String,
    date: NaiveDate,
    void: Option<NaiveDate>,
    gross: i64,
    /// Net, VAT and reverse charge of its lines with a code, without those that are charged.
    coded: (i64, i64),
    charged: Vec<(String, i64, i64)>,
    /// What settles it.
    settled: Vec<Settled>,
}

impl Document {
    /// Net and VAT that count by a day, without reverse charges.
    fn counted(&self, day: NaiveDate) -> (i64, i64) {
        self.counted_of(day, NaiveDate::MAX)
    }

    /// The same, of the payments of days up to `paid_by` alone.
    fn counted_of(&self, day: NaiveDate, paid_by: NaiveDate) -> (i64, i64) {
        if !self.basis.starts_with("cash") && self.basis != "flat_rate_cash" {
            let stands = self.date <= day && self.void.is_none_or(|void| day < void);
            return if stands { self.coded } else { (0, 0) };
        }
        if self.gross == 0 {
            let stands = self.date <= day && self.void.is_none_or(|void| day < void);
            return if stands { self.coded } else { (0, 0) };
        }
        let now = || self.settled.iter().filter(|one| one.0 <= day && one.1.is_none_or(|until| day < until));
        let paid: i64 = now().filter(|one| one.3.is_none() && one.0 <= paid_by).map(|one| one.2).sum();
        let credited: i64 = now().filter(|one| one.3.is_some()).map(|one| one.2).sum();
        let taken = now().filter_map(|one| one.3).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let (net, vat) = (self.coded.0 - taken.0, self.coded.1 - taken.1);
        if self.gross == credited {
            return (net, vat);
        }
        let vat_part = share(vat, paid, self.gross - credited);
        (share(net + vat, paid, self.gross - credited) - vat_part, vat_part)
    }

    /// What of it is turnover up to a day, and the day whose percentage each part takes: that of the payment, or of the document
    /// where it counts at its own.
    fn turnover(&self, day: NaiveDate) -> Vec<(NaiveDate, i64)> {
        let now = || self.settled.iter().filter(|one| one.0 <= day && one.1.is_none_or(|until| day < until));
        let mut days: Vec<NaiveDate> = now().filter(|one| one.3.is_none()).map(|one| one.0).collect();
        days.sort_unstable();
        if !self.is_sale || !self.basis.starts_with("flat_rate") {
            return Vec::new();
        }
        let gross = |(net, vat): (i64, i64)| self.sign * (net + vat);
        if self.basis == "flat_rate" || days.is_empty() {
            let last_credit = now().map(|one| one.0).max().filter(|_| self.basis != "flat_rate");
            return vec![(last_credit.unwrap_or(self.date), gross(self.counted(day)))];
        }
        let mut before = 0;
        let part = |paid_by: NaiveDate| {
            let sum = gross(self.counted_of(day, paid_by));
            (paid_by, sum - std::mem::replace(&mut before, sum))
        };
        days.into_iter().map(part).collect()
    }

    /// What it adds to the sums up to a day.
    fn sums(&self, day: NaiveDate) -> Sums {
        let (net, vat) = self.counted(day);
        let (net, vat) = (self.sign * net, self.sign * vat);
        let is_flat = self.basis.starts_with("flat_rate");
        let mut sums = match (self.is_sale, is_flat) {
            (true, true) => [0, 0, net + vat, 0, net + vat, vat],
            (true, false) => [vat, 0, net, 0, 0, 0],
            (false, true) => [0; 6],
            (false, false) => [0, vat, 0, net, 0, 0],
        };
        if self.date <= day && self.void.is_none_or(|void| day < void) {
            for (charge, net, vat) in &self.charged {
                let (net, vat) = (self.sign * net, self.sign * vat);
                if self.is_sale {
                    sums[2] += net;
                    continue;
                }
                sums[0] += vat;
                sums[1] += vat;
                sums[3] += net;
                sums[2] += if charge == "imported_services" { net } else { 0 };
            }
        }
        sums
    }
}

/// The model of all documents.
fn documents(run: &Run) -> Vec<Document> {
    let released = run.case.server.released_allocations(run.case.id);
    let mut notes: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    let mut found = Vec::new();
    let lists = [
        ("/sales-credit-notes", true, -1, "credit_note_date"),
        ("/purchase-credit-notes", false, -1, "credit_note_date"),
        ("/sales-invoices", true, 1, "invoice_date"),
        ("/purchase-invoices", false, 1, "invoice_date"),
    ];
    for (path, is_sale, sign, dated) in lists {
        let mut offset = 0;
        loop {
            let page = run.case.get(&format!("{path}?limit=200&offset={offset}"));
            let rows = page["data"].as_array().unwrap();
            offset += rows.len();
            for row in rows {
                found.push(document(row, (is_sale, sign, dated), &released, &mut notes));
            }
            if rows.is_empty() {
                break;
            }
        }
    }
    found
}

fn document(
    row: &Value,
    (is_sale, sign, dated): (bool, i64, &str),
    released: &[(bool, i64, i64, i64, i64, i64)],
    notes: &mut BTreeMap<i64, (i64, i64)>,
) -> Document {
    let id = row["id"].as_i64().unwrap();
    let mut coded = (0, 0);
    let mut charged = Vec::new();
    for line in row["lines"].as_array().unwrap().iter().filter(|line| line["vat_code"] != "NV") {
        let net = pence(&line["net_amount"]);
        match line["reverse_charge"].as_str() {
            Some(charge) => charged.push((charge.to_owned(), net, pence(&line["reverse_charge_vat_amount"]))),
            None => coded = (coded.0 + net, coded.1 + pence(&line["vat_amount"])),
        }
    }
    notes.insert(id, coded);
    let mut settled = Vec::new();
    for one in row["allocations"].as_array().unwrap() {
        let is_credit = sign < 0 || one["source_type"].as_str().is_some_and(|word| word.ends_with("credit_note"));
        let credit = is_credit.then(|| if sign < 0 { coded } else { notes[&one["source_id"].as_i64().unwrap()] });
        let amount = pence(one.get("settled_amount").unwrap_or(&one["amount"]));
        settled.push((day_of(&one["date"]), None, amount, credit));
    }
    // Only money was ever released.
    for one in released.iter().filter(|one| (one.0, one.1) == (true, id)) {
        let day = |number: i64| NaiveDate::default() + Days::new(u64::try_from(number).unwrap());
        settled.push((day(one.2), Some(day(one.3)), one.4, None));
    }
    Document {
        is_sale,
        sign,
        basis: row["vat_basis"].as_str().unwrap().to_owned(),
        date: day_of(&row[dated]),
        void: (!row["void_date"].is_null()).then(|| day_of(&row["void_date"])),
        gross: pence(&row["gross_amount"]),
        coded,
        charged,
        settled,
    }
}

fn plus(one: Sums, other: Sums) -> Sums {
    std::array::from_fn(|at| one[at] + other[at])
}

fn minus(one: Sums, other: Sums) -> Sums {
    std::array::from_fn(|at| one[at] - other[at])
}

/// The sums of a period, and its boxes 1, 4, 6 and 7.
fn expected(run: &Run, documents: &[Document], first: NaiveDate, last: NaiveDate) -> (Sums, [i64; 4]) {
    let before = first - Days::new(1);
    let direct = |day: NaiveDate| {
        let known = run.direct.iter().filter(move |one| one.0 <= day).map(|one| one.1);
        documents.iter().map(move |one| one.sums(day)).chain(known).fold([0; 6], plus)
    };
    let sums = minus(direct(last), direct(before));
    // The percentage of what came in each stretch of days with one percentage, rounded once; what was taken back, at the one it
    // came at.
    let mut stretches: BTreeMap<(usize, i64), i64> = BTreeMap::new();
    for (day, sign) in [(last, 1), (before, -1)] {
        let of_direct = run.direct.iter().filter(|one| one.0 <= day).map(|one| (one.0, one.1[4]));
        for (rated_on, turnover) in documents.iter().flat_map(|one| one.turnover(day)).chain(of_direct) {
            *stretches.entry(run.percent_on(rated_on)).or_default() += sign * turnover;
        }
    }
    let tax: i64 = stretches.iter().map(|((_, percent), turnover)| share(*turnover, *percent, 10_000)).sum();
    (sums, [sums[0] + tax, sums[1], sums[2], sums[3]])
}

fn assert_returns(run: &mut Run, seed: u64) {
    let known = documents(run);
    let ends = [
        ("2024-07-01", "2024-09-30"),
        ("2024-10-01", "2024-12-31"),
        ("2025-01-01", "2025-03-31"),
        ("2025-04-01", "2025-06-30"),
        ("2025-07-01", "2025-09-30"),
        ("2025-10-01", "2025-12-31"),
        ("2026-01-01", "2026-03-31"),
        ("2024-01-01", "2026-12-31"),
    ];
    let mut periods: Vec<(NaiveDate, NaiveDate)> = ends.iter().map(|(first, last)| (date(first), date(last))).collect();
    for _ in 0..8 {
        let first = run.any_day();
        periods.push((first, run.day_from(first)));
    }
    for (first, last) in periods {
        let found = run.case.vat_return(&first.to_string(), &last.to_string());
        assert_ties(&found);
        let boxes = ["box1", "box4", "box6", "box7"].map(|name| pence(&found[name]));
        let (sums, of_period) = expected(run, &known, first, last);
        assert_eq!(boxes, of_period, "seed {seed}: {first} to {last}, {:?}", run.schemes);
        if found["flat_rate"].is_object() {
            let flat = &found["flat_rate"];
            assert_eq!(
                (pence(&flat["turnover"]), pence(&flat["vat"]) + pence(&flat["surplus"])),
                (sums[4], sums[5]),
                "seed {seed}"
            );
        }
        // Additive over any day, but for the percentage that is rounded once.
        let middle = first + Days::new(u64::try_from((last - first).num_days() / 2).unwrap());
        let half = |first: NaiveDate, last: NaiveDate| {
            let found = run.case.vat_return(&first.to_string(), &last.to_string());
            let flat = if found["flat_rate"].is_object() { pence(&found["flat_rate"]["vat"]) } else { 0 };
            [pence(&found["box1"]) - flat, pence(&found["box4"]), pence(&found["box6"]), pence(&found["box7"])]
        };
        if middle < last {
            let (one, other) = (half(first, middle), half(middle + Days::new(1), last));
            let sum: [i64; 4] = std::array::from_fn(|at| one[at] + other[at]);
            assert_eq!(sum, half(first, last), "seed {seed}: {first}, {middle}, {last}");
        }
    }
    // I17, I18, I39: VAT Control is what was declared, what the flat rate leaves, and what still waits for payment.
    let all = run.case.vat_return("2024-01-01", "2027-12-31");
    let surplus = if all["flat_rate"].is_object() { pence(&all["flat_rate"]["surplus"]) } else { 0 };
    let ever = date("2027-12-31");
    let waiting = |one: &Document| {
        let waits = one.basis == "cash" || one.basis == "flat_rate_cash";
        if !waits || one.void.is_some() {
            return 0;
        }
        let taken: i64 =
            one.settled.iter().filter(|part| part.1.is_none()).filter_map(|part| part.3).map(|part| part.1).sum();
        let left = one.coded.1 - taken - one.counted(ever).1;
        one.sign * if one.is_sale { left } else { -left }
    };
    let waiting: i64 = known.iter().map(waiting).sum();
    assert_eq!(-run.case.balance("2200"), pence(&all["net_vat"]) + surplus + waiting, "seed {seed}: VAT Control");
}

fn run(database: &Database, seed: u64) {
    let seed = number_from("MODEL_SEED", seed);
    let mut run = Run::new(database, seed);
    let steps = number_from("MODEL_STEPS", STEPS);
    for step in 0..steps {
        run.step();
        if step == steps / 2 {
            for end in ["2024-09-30", "2025-03-31"] {
                run.case.made("/vat-returns", &json!({ "period_end": end }));
            }
        }
    }
    assert_returns(&mut run, seed);
    // I40: what was recorded and what is late are what the periods come to now.
    let names = ["box1", "box4", "box6", "box7"];
    let boxes = |of: &Value| names.map(|name| pence(&of[name]));
    let late = boxes(&run.case.vat_return("2025-04-01", "2025-06-30")["late"]);
    let mut declared = [0; 4];
    let mut now = [0; 4];
    for record in run.case.get("/vat-returns")["data"].as_array().unwrap() {
        let text = |name: &str| record[name].as_str().unwrap().to_owned();
        let found = run.case.vat_return(&text("period_start"), &text("period_end"));
        let (own, earlier) = (boxes(record), boxes(&record["late"]));
        for at in 0..4 {
            declared[at] += own[at] + earlier[at];
            now[at] += boxes(&found)[at];
        }
    }
    let both: [i64; 4] = std::array::from_fn(|at| declared[at] + late[at]);
    assert_eq!(both, now, "seed {seed}");
}

on_both_databases! {
    fn random_books_declare_what_the_model_says(database) {
        run(&database, 1);
    }

    fn other_random_books_too(database) {
        run(&database, 2);
    }

    fn and_others_that_begin_with_another_scheme(database) {
        run(&database, 5);
    }
}
