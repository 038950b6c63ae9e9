//! The strict request body, read in one pass straight into the engine's batch, which borrows from it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::domain::amount::UNITS_PER_WHOLE;
use crate::domain::coding::{Account, AccountType, Batch, Invoice, InvoiceKind, PastLine, Transaction, VatCode};
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_MERCHANT_CHARS: usize = 200;
const MAX_REFERENCE_CHARS: usize = 100;
const MAX_BANK_ACCOUNT_CHARS: usize = 100;
const MAX_CODE_CHARS: usize = 50;
const MAX_NAME_CHARS: usize = 200;
const MAX_INVOICE_NUMBER_CHARS: usize = 100;
const MAX_CONTEXT_CHARS: usize = 2000;
const MAX_VAT_CODES: u64 = 100;
const MAX_HISTORY: u64 = 20_000;

const TRANSACTIONS: &str = "transactions";
const CHART: &str = "chart_of_accounts";
const VAT_CODES: &str = "vat_codes";
const INVOICES: &str = "invoices";
const HISTORY: &str = "history";
const OPTIONS: &str = "options";

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most transactions.
    pub max_transactions: u64,
    /// Most accounts of the chart.
    pub max_accounts: u64,
    /// Most invoices.
    pub max_invoices: u64,
}

impl Limits {
    /// For what was accepted before, under whatever limits there were then.
    pub const NONE: Self = Self { max_transactions: u64::MAX, max_accounts: u64::MAX, max_invoices: u64::MAX };
}

/// A request that keeps to the format.
#[derive(Debug, Clone, Default)]
pub struct Submission<'a> {
    /// The batch for the engine.
    pub batch: Batch<'a>,
    /// Each transaction as it was written.
    pub inputs: Vec<&'a str>,
    /// Whether the caller accepts overage for this request.
    pub allow_overage: bool,
}

/// Reads a request body.
pub fn parse<'a>(body: &'a [u8], limits: &Limits) -> Result<Submission<'a>, Issues> {
    // The HTTP layer has checked this before; an empty text is no object either.
    let mut reader = StrictReader::new(std::str::from_utf8(body).unwrap_or_default());
    let mut request =
        Request { limits, submission: Submission::default(), codes: HashMap::new(), unresolved: Vec::new() };
    let read = request.read(&mut reader);
    reader.finish(read.map(|()| request.submission))
}

struct Request<'a, 'l> {
    limits: &'l Limits,
    submission: Submission<'a>,
    /// The codes of the chart and where they stand in it.
    codes: HashMap<Cow<'a, str>, usize>,
    /// Account codes of invoices; the chart may follow later.
    unresolved: Vec<Unresolved<'a>>,
}

struct Unresolved<'a> {
    at: usize,
    row: FieldPath<'static>,
    invoice: usize,
    code: Cow<'a, str>,
}

impl<'a> Request<'a, '_> {
    fn read(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        const NAMES: [&str; 6] = [TRANSACTIONS, CHART, VAT_CODES, INVOICES, HISTORY, OPTIONS];
        const REQUIRED: usize = 2;
        let path = FieldPath::section(BODY);
        let given = reader.object(path, &NAMES, |reader, at| match at {
            0 => self.transactions(reader),
            1 => self.chart(reader),
            _ if reader.is_null()? => Ok(()),
            2 => self.vat_codes(reader),
            3 => self.invoices(reader),
            4 => self.history(reader),
            _ => self.options(reader),
        })?;
        if let Some(given) = given {
            self.resolve(reader);
            reader.require(path, &NAMES, &given, REQUIRED);
        }
        Ok(())
    }

    fn transactions(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        let limit = self.limits.max_transactions;
        let (transactions, inputs) = (&mut self.submission.batch.transactions, &mut self.submission.inputs);
        reader.list(TRANSACTIONS, 1..=limit, |reader, path| {
            let (input, transaction) = reader.raw(|reader| transaction(reader, path))?;
            if let Some(transaction) = transaction
                && length(inputs) < limit
            {
                transactions.push(transaction);
                inputs.push(input);
            }
            Ok(())
        })
    }

    fn chart(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        let limit = self.limits.max_accounts;
        let (accounts, codes) = (&mut self.submission.batch.accounts, &mut self.codes);
        reader.list(CHART, 1..=limit, |reader, path| {
            if let Some(account) = account(reader, path, codes)?
                && length(accounts) < limit
            {
                accounts.push(account);
            }
            Ok(())
        })
    }

    fn vat_codes(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        let mut codes = HashMap::new();
        let list = self.submission.batch.vat_codes.insert(Vec::new());
        reader.list(VAT_CODES, 1..=MAX_VAT_CODES, |reader, path| {
            if let Some(code) = vat_code(reader, path, &mut codes)?
                && length(list) < MAX_VAT_CODES
            {
                list.push(code);
            }
            Ok(())
        })
    }

    fn invoices(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        let limit = self.limits.max_invoices;
        let unresolved = &mut self.unresolved;
        let invoices = self.submission.batch.invoices.insert(Vec::new());
        reader.list(INVOICES, 0..=limit, |reader, path| {
            let mut account = None;
            let read = invoice(reader, path, &mut account)?;
            if let Some((at, code)) = account {
                unresolved.push(Unresolved { at, row: path, invoice: invoices.len(), code });
            }
            if let Some(invoice) = read
                && length(invoices) < limit
            {
                invoices.push(invoice);
            }
            Ok(())
        })
    }

    fn history(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        let history = &mut self.submission.batch.history;
        reader.list(HISTORY, 0..=MAX_HISTORY, |reader, path| {
            if let Some(line) = past_line(reader, path)?
                && length(history) < MAX_HISTORY
            {
                history.push(line);
            }
            Ok(())
        })
    }

    /// Finds the accounts that invoices name, now that the chart is known.
    fn resolve(&mut self, reader: &mut StrictReader<'a>) {
        for Unresolved { at, row, invoice, code } in std::mem::take(&mut self.unresolved) {
            let account = self.codes.get(&code).copied();
            if account.is_none() {
                let rule = "account_code must be the code of an account in chart_of_accounts";
                reader.late_problem(at, row.field("account_code"), rule);
            }
            if let Some(invoice) = self.submission.batch.invoices.as_mut().and_then(|list| list.get_mut(invoice)) {
                invoice.account = account;
            }
        }
    }

    fn options(&mut self, reader: &mut StrictReader<'a>) -> Reading<()> {
        const NAMES: [&str; 2] = ["allowOverage", "businessContext"];
        let path = FieldPath::section(OPTIONS);
        let Submission { batch, allow_overage, .. } = &mut self.submission;
        reader.object(path, &NAMES, |reader, at| {
            match at {
                _ if reader.is_null()? => {}
                0 => *allow_overage = reader.flag(path.field("allowOverage"))?.unwrap_or_default(),
                _ => {
                    let text = reader.text(path.field("businessContext"), 0..=MAX_CONTEXT_CHARS)?;
                    batch.business_context = text.unwrap_or_default();
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

fn length<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

/// Reads one transaction; none when it has a problem.
fn transaction<'a>(reader: &mut StrictReader<'a>, path: FieldPath<'static>) -> Reading<Option<Transaction<'a>>> {
    const NAMES: [&str; 7] =
        ["date", "description", "amount", "merchant", "reference", "bank_account", "merchant_category_code"];
    const REQUIRED: usize = 3;
    let (mut date, mut description, mut amount) = (None, None, None);
    let (mut merchant, mut reference, mut bank_account) = (None, None, None);
    let mut merchant_category_code = None;
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => date = reader.date(path.field("date"))?,
            1 => description = reader.text(path.field("description"), 1..=MAX_DESCRIPTION_CHARS)?,
            2 => amount = reader.amount(path.field("amount"))?,
            3 => merchant = reader.optional_text(path.field("merchant"), MAX_MERCHANT_CHARS)?,
            4 => reference = reader.optional_text(path.field("reference"), MAX_REFERENCE_CHARS)?,
            5 => bank_account = reader.optional_text(path.field("bank_account"), MAX_BANK_ACCOUNT_CHARS)?,
            _ if reader.is_null()? => {}
            _ => merchant_category_code = category_code(reader, path.field("merchant_category_code"))?,
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, REQUIRED);
    let Some(((date, description), amount)) = date.zip(description).zip(amount) else { return Ok(None) };
    Ok(Some(Transaction { date, description, amount, merchant, reference, bank_account, merchant_category_code }))
}

/// Reads the category of a merchant (ISO 18245); none when it has a problem.
fn category_code(reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<Option<u16>> {
    let Some(code) = reader.text(path, 1..=MAX_CODE_CHARS)? else { return Ok(None) };
    let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_code { code.parse().ok() } else { None };
    if number.is_none() {
        reader.problem(path, "merchant_category_code must be a string of four digits");
    }
    Ok(number)
}

/// Reads one line of the past; none when it has a problem.
fn past_line<'a>(reader: &mut StrictReader<'a>, path: FieldPath<'static>) -> Reading<Option<PastLine<'a>>> {
    const NAMES: [&str; 7] = ["description", "account_code", "date", "amount", "merchant", "vat_code", "bank_account"];
    const REQUIRED: usize = 2;
    let (mut description, mut account_code, mut date, mut amount) = (None, None, None, None);
    let (mut merchant, mut vat_code, mut bank_account) = (None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => description = reader.text(path.field("description"), 1..=MAX_DESCRIPTION_CHARS)?,
            1 => account_code = reader.text(path.field("account_code"), 1..=MAX_CODE_CHARS)?,
            _ if reader.is_null()? => {}
            2 => date = reader.date(path.field("date"))?,
            3 => amount = reader.amount(path.field("amount"))?,
            4 => merchant = reader.optional_text(path.field("merchant"), MAX_MERCHANT_CHARS)?,
            5 => vat_code = reader.text(path.field("vat_code"), 1..=MAX_CODE_CHARS)?,
            _ => bank_account = reader.optional_text(path.field("bank_account"), MAX_BANK_ACCOUNT_CHARS)?,
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, REQUIRED);
    let line = description.zip(account_code);
    Ok(line.map(|(description, account_code)| PastLine {
        description,
        account_code,
        date,
        amount,
        merchant,
        vat_code,
        bank_account,
    }))
}

/// Reads one account of the chart; none when it has a problem.
fn account<'a>(
    reader: &mut StrictReader<'a>,
    path: FieldPath<'static>,
    codes: &mut HashMap<Cow<'a, str>, usize>,
) -> Reading<Option<Account<'a>>> {
    const NAMES: [&str; 3] = ["code", "name", "type"];
    const TYPES: &str =
        "one of INCOME, EXPENSE, ASSET, LIABILITY and EQUITY in any case; REVENUE is accepted for INCOME";
    let (mut code, mut name, mut kind) = (None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => code = unique_code(reader, path, codes)?,
            1 => name = reader.text(path.field("name"), 1..=MAX_NAME_CHARS)?,
            _ => kind = reader.word(path.field("type"), AccountType::parse, TYPES)?,
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, NAMES.len());
    Ok(code.zip(name).zip(kind).map(|((code, name), kind)| Account { code, name, kind }))
}

/// Reads one VAT code; none when it has a problem.
fn vat_code<'a>(
    reader: &mut StrictReader<'a>,
    path: FieldPath<'static>,
    codes: &mut HashMap<Cow<'a, str>, usize>,
) -> Reading<Option<VatCode<'a>>> {
    const NAMES: [&str; 3] = ["code", "name", "rate"];
    const RATES: std::ops::RangeInclusive<i128> = 0..=100 * UNITS_PER_WHOLE;
    let (mut code, mut name, mut rate) = (None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => code = unique_code(reader, path, codes)?,
            1 => name = reader.text(path.field("name"), 1..=MAX_NAME_CHARS)?,
            _ => rate = reader.bounded(path.field("rate"), RATES, "a number from 0 to 100, in percent")?,
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, NAMES.len());
    Ok(code.zip(name).zip(rate).map(|((code, name), rate)| VatCode { code, name, rate }))
}

/// Reads a code that no row before has.
fn unique_code<'a>(
    reader: &mut StrictReader<'a>,
    path: FieldPath<'static>,
    codes: &mut HashMap<Cow<'a, str>, usize>,
) -> Reading<Option<Cow<'a, str>>> {
    let path = path.field("code");
    let Some(code) = reader.text(path, 1..=MAX_CODE_CHARS)? else { return Ok(None) };
    let row = codes.len();
    match codes.entry(code.clone()) {
        Entry::Vacant(entry) => {
            entry.insert(row);
            Ok(Some(code))
        }
        Entry::Occupied(_) => {
            reader.problem(path, "code is already the code of an earlier row");
            Ok(None)
        }
    }
}

/// Reads one invoice; none when it has a problem. The code of its account and where it stands go to `account`.
fn invoice<'a>(
    reader: &mut StrictReader<'a>,
    path: FieldPath<'static>,
    account: &mut Option<(usize, Cow<'a, str>)>,
) -> Reading<Option<Invoice<'a>>> {
    const NAMES: [&str; 10] = [
        "number",
        "kind",
        "contact",
        "date",
        "amount_due",
        "due_date",
        "total",
        "currency",
        "reference",
        "account_code",
    ];
    const REQUIRED: usize = 5;
    const AMOUNTS: std::ops::RangeInclusive<i128> = 1..=1_000_000_000_000_000_000 * UNITS_PER_WHOLE;
    let (mut number, mut kind, mut contact, mut date, mut amount_due) = (None, None, None, None, None);
    let (mut due_date, mut total, mut currency, mut reference) = (None, None, None, None);
    let given = reader.object(path, &NAMES, |reader, at| {
        match at {
            0 => number = reader.text(path.field("number"), 1..=MAX_INVOICE_NUMBER_CHARS)?,
            1 => kind = reader.word(path.field("kind"), InvoiceKind::parse, "one of invoice, bill and credit_note")?,
            2 => contact = reader.text(path.field("contact"), 1..=MAX_NAME_CHARS)?,
            3 => date = reader.date(path.field("date"))?,
            4 => {
                amount_due =
                    reader.bounded(path.field("amount_due"), AMOUNTS, "a JSON number above 0 and below 1e18")?
            }
            _ if reader.is_null()? => {}
            5 => due_date = reader.date(path.field("due_date"))?,
            6 => total = reader.amount(path.field("total"))?,
            7 => currency = reader.word(path.field("currency"), currency_code, "three capital letters, such as GBP")?,
            8 => reference = reader.optional_text(path.field("reference"), MAX_REFERENCE_CHARS)?,
            _ => {
                let code = reader.text(path.field("account_code"), 1..=MAX_CODE_CHARS)?;
                *account = code.map(|code| (reader.at(), code));
            }
        }
        Ok(())
    })?;
    let Some(given) = given else { return Ok(None) };
    reader.require(path, &NAMES, &given, REQUIRED);
    let (Some(number), Some(kind), Some(contact), Some(date), Some(amount_due)) =
        (number, kind, contact, date, amount_due)
    else {
        return Ok(None);
    };
    let currency = currency.map(Cow::Owned);
    Ok(Some(Invoice { number, kind, contact, date, due_date, total, amount_due, currency, reference, account: None }))
}

fn currency_code(text: &str) -> Option<String> {
    let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code.then(|| text.to_owned())
}
