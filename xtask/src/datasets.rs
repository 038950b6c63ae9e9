//! Seeded requests: ordinary small ones whose outcome is known beforehand, and the large shapes that
//! are hardest on a matcher.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{coding_datasets, products::Product, random::Random};

/// What a job made of these rows must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The totals agree, or the product has none: every row is charged.
    Verified,
    /// Fractions of a penny add up to more than the tolerance: completed, nothing charged.
    Residue,
}

/// A request body and what it leads to.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Whose job it is.
    pub product: Product,
    /// The JSON that is posted.
    pub body: Vec<u8>,
    /// Rows on the bank's side, or transactions: the price when all is well.
    pub rows: u64,
    /// The outcome.
    pub expected: Expected,
}

impl Dataset {
    /// Credits charged when the owner can pay.
    #[must_use]
    pub fn price(&self) -> u64 {
        match self.expected {
            Expected::Verified => self.rows,
            Expected::Residue => 0,
        }
    }
}

const NAMES: [&str; 16] = [
    "Acme", "Harbour", "Silver", "Oakfield", "Meridian", "Summit", "Beacon", "Castle", "Delta", "Falcon", "Jubilee",
    "Kestrel", "Maple", "Quartz", "Regent", "Willow",
];
const PURPOSES: [&str; 8] = ["invoice", "order", "rent", "wages", "card", "refund", "fee", "bill"];

/// A civil date from a count of days after 2000-01-01.
#[must_use]
pub fn date(days: u64) -> String {
    // Howard Hinnant's algorithm with an era that begins on 0000-03-01.
    let shifted = days + 730_425;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// One row: days after 2000-01-01, the amount as text, the description.
#[derive(Debug, Clone)]
struct Row(u64, String, String);

fn write_rows(body: &mut Vec<u8>, rows: &[Row]) {
    for (place, Row(days, amount, text)) in rows.iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        // Writing to memory cannot fail.
        let _ = write!(body, "{{\"date\":\"{}\",\"amount\":{amount},\"description\":\"{text}\"}}", date(*days));
    }
}

fn request(bank: &[Row], book: &[Row], include_matched: bool) -> Vec<u8> {
    let mut body = Vec::with_capacity(64 + (bank.len() + book.len()) * 80);
    body.extend_from_slice(b"{\"bank\":[");
    write_rows(&mut body, bank);
    body.extend_from_slice(b"],\"book\":[");
    write_rows(&mut body, book);
    body.extend_from_slice(b"],\"options\":{\"allowedDateDifferenceInDays\":3");
    if include_matched {
        body.extend_from_slice(b",\"includeMatched\":true");
    }
    body.extend_from_slice(b"}}");
    body
}

fn pounds(pence: u64) -> String {
    format!("{}.{:02}", pence / 100, pence % 100)
}

/// An ordinary request of that many bank rows.
#[must_use]
pub fn ordinary(random: &mut Random, bank_rows: u64, expected: Expected) -> Dataset {
    // Three residues of 0.004 are the fewest that exceed the tolerance of a penny.
    let bank_rows = if expected == Expected::Residue { bank_rows.max(3) } else { bank_rows };
    let mut bank = Vec::new();
    let mut book = Vec::new();
    for _ in 0..bank_rows {
        let (day, pence) = (8_766 + random.below(365), random.between(100, 500_000));
        let text = format!(
            "{} {} {:05}",
            random.pick(&NAMES).copied().unwrap_or_default(),
            random.pick(&PURPOSES).copied().unwrap_or_default(),
            random.below(100_000)
        );
        bank.push(Row(day, pounds(pence), text.to_uppercase()));
        match expected {
            // Every pair differs: where few do, the worst are left open and the rest is verified.
            Expected::Residue => book.push(Row(day, format!("{}4", pounds(pence)), text)),
            Expected::Verified if random.chance(3) => {}
            Expected::Verified => book.push(Row(day + random.below(3), pounds(pence), text)),
        }
    }
    random.shuffle(&mut book);
    Dataset { product: Product::Reconciliation, body: request(&bank, &book, false), rows: bank_rows, expected }
}

/// An ordinary request of a product that is charged for all its rows.
#[must_use]
pub fn charged(product: Product, random: &mut Random, rows: u64) -> Dataset {
    match product {
        Product::Reconciliation => ordinary(random, rows, Expected::Verified),
        Product::Coding => coding_datasets::ordinary(random, rows),
    }
}

/// A pool of ordinary requests of these products in turn, of 1 to `most` rows, small ones as frequent as large ones.
#[must_use]
pub fn pool(products: &[Product], random: &mut Random, size: usize, most: u64) -> Vec<Dataset> {
    products
        .iter()
        .cycle()
        .take(size)
        .map(|product| {
            let bits = 64 - u64::from(most.leading_zeros());
            let limit = (1_u64 << random.between(0, bits)).min(most);
            let rows = random.between(1, limit);
            if *product == Product::Coding {
                return coding_datasets::ordinary(random, rows);
            }
            let expected = if random.chance(25) { Expected::Residue } else { Expected::Verified };
            ordinary(random, rows, expected)
        })
        .collect()
}

/// A large request with a name.
#[derive(Debug)]
pub struct Shape {
    /// What makes it hard.
    pub name: &'static str,
    /// Whose job it is.
    pub product: Product,
    /// The JSON that is posted.
    pub body: Vec<u8>,
}

/// The names of the large shapes, in the order in which they are tried.
pub const SHAPES: [&str; 13] = [
    "minimal",
    "realistic",
    "identical",
    "chain",
    "references-reversed",
    "surplus-chain",
    "few-words",
    "contested-references",
    "no-common-word",
    "dense-blocks",
    "word-pairs",
    "one-amount-a-year",
    "long-texts",
];

/// A large shape; `share` of its full rows (1 is full, 10 a tenth).
pub fn shape(name: &'static str, share: u64, folder: &Path) -> Result<Shape> {
    let share = share.max(1);
    let mut random = Random::new(2_024);
    let rows = 150_000 / share;
    let both = |bank: &mut dyn FnMut(u64) -> Row, book: &mut dyn FnMut(u64) -> Row, count: u64| {
        let bank: Vec<Row> = (0..count).map(bank).collect();
        let book: Vec<Row> = (0..count).map(book).collect();
        request(&bank, &book, true)
    };
    let fixed = |day: u64, text: String| Row(day, "25".to_owned(), text);
    let body = match name {
        "minimal" => {
            let count = 250_000 / share;
            let row = |place: u64| Row(8_766 + place % 30, (place % 10).to_string(), "x".to_owned());
            both(&mut { row }, &mut { row }, count)
        }
        "realistic" => realistic(157_000 / share, folder)?,
        "identical" => both(&mut |_| fixed(8_766, "same text".into()), &mut |_| fixed(8_766, "same text".into()), rows),
        "chain" => both(&mut |place| fixed(place, "daily".into()), &mut |place| fixed(place, "daily".into()), rows),
        "references-reversed" => both(
            &mut |place| fixed(8_766, format!("REF {place:06}")),
            &mut |place| fixed(8_766, format!("ref {:06}", rows - 1 - place)),
            rows,
        ),
        // The bank has rows to spare in the first half of the chain, the books in the second.
        "surplus-chain" => both(
            &mut |place| fixed(if place < rows / 2 { place } else { place * 2 - rows / 2 }, "daily".into()),
            &mut |place| fixed(if place < rows / 2 { place * 2 } else { place + rows / 2 }, "daily".into()),
            rows,
        ),
        "few-words" => {
            let mut other = random.fork(1);
            let text = |random: &mut Random| {
                (0..3).map(|_| random.pick(&NAMES).copied().unwrap_or_default()).collect::<Vec<_>>().join(" ")
            };
            let bank: Vec<Row> = (0..rows).map(|_| fixed(8_766, text(&mut random))).collect();
            let book: Vec<Row> = (0..rows).map(|_| fixed(8_766, text(&mut other))).collect();
            request(&bank, &book, true)
        }
        "contested-references" => both(
            &mut |place| fixed(8_766, format!("REF {:06}", place / 50)),
            &mut |place| fixed(8_766, format!("ref {:06}", (place * 7) % (rows / 50).max(1))),
            rows,
        ),
        "no-common-word" => both(
            &mut |place| fixed(8_766, format!("bank{place:06}")),
            &mut |place| fixed(8_766, format!("book{place:06}x")),
            rows,
        ),
        // Blocks of 96 rows a side with one amount and one day each, and words that each of them could share.
        "dense-blocks" => both(
            &mut |place| Row(8_766, pounds(10_000 + place / 96), format!("A{} B{}", place % 96, (place * 5) % 96)),
            &mut |place| {
                Row(8_766 + place % 2, pounds(10_000 + place / 96), format!("A{} B{}", (place * 7) % 96, place % 96))
            },
            rows,
        ),
        "word-pairs" => {
            let mut other = random.fork(2);
            let text = |random: &mut Random| format!("word{} term{}", random.below(500), random.below(500));
            let bank: Vec<Row> = (0..rows).map(|place| fixed(8_766 + place % 4, text(&mut random))).collect();
            let book: Vec<Row> = (0..rows).map(|place| fixed(8_766 + place % 4, text(&mut other))).collect();
            request(&bank, &book, true)
        }
        "one-amount-a-year" => {
            let mut other = random.fork(3);
            let text = |random: &mut Random| {
                format!("{} {}", random.pick(&NAMES).copied().unwrap_or_default(), random.below(2_000))
            };
            let bank: Vec<Row> = (0..rows).map(|place| fixed(8_766 + place % 365, text(&mut random))).collect();
            let book: Vec<Row> = (0..rows).map(|place| fixed(8_766 + place % 365, text(&mut other))).collect();
            request(&bank, &book, true)
        }
        // Twenty-four words a row: as many rows as the size limit of a request allows.
        "long-texts" => {
            let mut other = random.fork(4);
            let text = |random: &mut Random| {
                (0..24).map(|_| format!("w{}", random.below(3_000))).collect::<Vec<_>>().join(" ")
            };
            let count = 70_000 / share;
            let bank: Vec<Row> = (0..count).map(|_| fixed(8_766, text(&mut random))).collect();
            let book: Vec<Row> = (0..count).map(|_| fixed(8_766, text(&mut other))).collect();
            request(&bank, &book, true)
        }
        _ => anyhow::bail!("there is no shape called {name}"),
    };
    ensure!(body.len() <= 26_214_400, "the shape {name} has {} bytes, more than a request may have", body.len());
    Ok(Shape { name, product: Product::Reconciliation, body })
}

/// The statement generator, when it is at hand: `RECON_GENERATOR`, else beside the checkout.
#[must_use]
pub fn generator() -> Option<PathBuf> {
    let named = std::env::var_os("RECON_GENERATOR").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/reconciliation/gen.py");
    [named, Some(beside)].into_iter().flatten().find(|path| path.exists())
}

/// A realistic statement and books of about that many rows a side: from the generator when it is at hand, else our own.
pub fn realistic(rows: u64, folder: &Path) -> Result<Vec<u8>> {
    let Some(generator) = generator() else {
        let mut random = Random::new(rows);
        return Ok(ordinary(&mut random, rows, Expected::Verified).body);
    };
    let target = folder.join(format!("statement-{rows}"));
    let status = Command::new("python3")
        .arg(&generator)
        .args(["--seed", "1", "--n", &rows.to_string(), "--out"])
        .arg(&target)
        .stdout(Stdio::null())
        .status()
        .context("cannot run python3 for the statement generator")?;
    ensure!(status.success(), "the statement generator failed");
    let path = target.with_extension("json");
    // Written without spaces, as programs do: 157,000 rows a side then fit into one request.
    let spacious: Value = serde_json::from_slice(&fs::read(&path)?)?;
    for suffix in ["json", "truth.json", "tsv"] {
        fs::remove_file(target.with_extension(suffix))?;
    }
    Ok(serde_json::to_vec(&spacious)?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Expected, SHAPES, date, ordinary, pool, shape};
    use crate::{products::Product, random::Random};

    #[test]
    fn dates_are_real_ones() {
        assert_eq!(date(0), "2000-01-01");
        assert_eq!(date(59), "2000-02-29");
        assert_eq!(date(60), "2000-03-01");
        assert_eq!(date(8_766), "2024-01-01");
        assert_eq!(date(8_766 + 365), "2024-12-31");
    }

    #[test]
    fn requests_are_valid_json_with_the_promised_rows_and_residue() {
        let mut random = Random::new(3);
        let dataset = ordinary(&mut random, 40, Expected::Residue);
        let json: Value = serde_json::from_slice(&dataset.body).unwrap();
        let total =
            |side: &str| json[side].as_array().unwrap().iter().map(|row| row["amount"].as_f64().unwrap()).sum::<f64>();
        assert_eq!(json["bank"].as_array().unwrap().len(), 40);
        assert!(total("book") - total("bank") > 0.011);
        let pool = pool(&Product::ALL, &mut random, 30, 2_000);
        assert!(pool.iter().all(|dataset| (1..=2_000).contains(&dataset.rows)));
        assert_eq!(pool.iter().filter(|dataset| dataset.product == Product::Coding).count(), 15);
    }

    #[test]
    fn every_large_shape_is_a_request() {
        let folder = tempfile::tempdir().unwrap();
        for name in SHAPES {
            let made = shape(name, 1_000, folder.path()).unwrap();
            let json: Value = serde_json::from_slice(&made.body).unwrap();
            assert!(!json["bank"].as_array().unwrap().is_empty(), "{name}");
        }
    }
}
