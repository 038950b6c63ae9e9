//! Reading the fields the books have in common, strictly and with every problem at once: numbers with up to four decimals
//! from their digits, dates, and the account that a body names by its id or by its code.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::domain::books::records::address::AddressChange;
use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::journal::{FIRST_DATE, LAST_DATE};
use crate::domain::ledger::money::{Decimal4, Pence, parse_number, parse_text};
use crate::domain::ledger::vat::VatCode;
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

/// A field of the body itself.
pub const fn body(field: &str) -> FieldPath<'_> {
    FieldPath::section(BODY).field(field)
}

impl<'a> StrictReader<'a> {
    /// Text that may be null, which says that there is none; empty says so too.
    pub fn maybe_text(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Option<String>>> {
        if self.is_null()? {
            return Ok(Some(None));
        }
        let text = self.text(path, 0..=length_max)?;
        Ok(text.map(|text| Some(text.into_owned()).filter(|text| !text.is_empty())))
    }

    /// A name that may be null or empty, which says that there is none.
    pub fn maybe_label(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Option<String>>> {
        if self.is_null()? {
            return Ok(Some(None));
        }
        let text = self.name_or_empty(path, length_max)?;
        Ok(text.map(|text| Some(text.into_owned()).filter(|text| !text.is_empty())))
    }

    /// An e-mail address; null says that there is none.
    pub fn maybe_email(&mut self, path: FieldPath<'_>) -> Reading<Option<Option<String>>> {
        if self.is_null()? {
            return Ok(Some(None));
        }
        let Some(text) = self.text(path, 0..=254)? else { return Ok(None) };
        if !is_email(&text) {
            self.problem(path, "must be an e-mail address, such as accounts@example.com, or null");
            return Ok(None);
        }
        Ok(Some(Some(text.into_owned())))
    }

    /// A code or number that may be null, which says that there is none.
    pub fn maybe_mark(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Option<String>>> {
        if self.is_null()? {
            return Ok(Some(None));
        }
        Ok(self.code(path, 1..=length_max)?.map(|text| Some(text.into_owned())))
    }

    /// An amount: a number, or a string with at most two decimals.
    pub fn money(&mut self, path: FieldPath<'_>) -> Reading<Option<Pence>> {
        let text = self.value()?;
        let amount = match text.starts_with('"') {
            true => serde_json::from_str::<Cow<'_, str>>(text).ok().and_then(|text| Pence::parse_text(&text)),
            false => Pence::parse_number(text),
        };
        if amount.is_none() {
            self.problem(
                path,
                "must be an amount with at most two decimals, from -9999999999.99 to 9999999999.99, such as 120.50",
            );
        }
        Ok(amount)
    }

    /// An amount that is not negative.
    pub fn positive_money(&mut self, path: FieldPath<'_>) -> Reading<Option<Pence>> {
        let amount = self.money(path)?;
        if amount.is_some_and(Pence::is_negative) {
            self.problem(path, "must not be negative");
            return Ok(None);
        }
        Ok(amount)
    }

    /// A whole number in a range.
    pub fn whole(&mut self, path: FieldPath<'_>, range: RangeInclusive<i64>) -> Reading<Option<i64>> {
        let number = parse_number(self.value()?, 0, i64::MAX).filter(|number| range.contains(number));
        if number.is_none() {
            self.problem(path, format!("must be an integer from {} to {}", range.start(), range.end()));
        }
        Ok(number)
    }

    /// An identifier.
    pub fn id(&mut self, path: FieldPath<'_>) -> Reading<Option<i64>> {
        let id = parse_number(self.value()?, 0, i64::MAX).filter(|id| *id >= 1);
        if id.is_none() {
            self.problem(path, "must be an integer of at least 1");
        }
        Ok(id)
    }

    /// A date of the books.
    pub fn book_date(&mut self, path: FieldPath<'_>) -> Reading<Option<Date>> {
        let text = self.value()?;
        let date = serde_json::from_str::<Cow<'_, str>>(text).ok().and_then(|text| parse_book_date(&text));
        if date.is_none() {
            self.problem(path, BOOK_DATE_RULE);
        }
        Ok(date)
    }

    /// A tax month by its last day.
    pub fn tax_month(&mut self, path: FieldPath<'_>) -> Reading<Option<TaxMonth>> {
        let text = self.value()?;
        let month = serde_json::from_str::<Cow<'_, str>>(text).ok().and_then(|text| parse_tax_month(&text));
        if month.is_none() {
            self.problem(path, TAX_MONTH_RULE);
        }
        Ok(month)
    }

    /// A VAT code.
    pub fn vat_code(&mut self, path: FieldPath<'_>) -> Reading<Option<VatCode>> {
        self.word(path, VatCode::parse, "one of ST, RR, ZR, EX, NV")
    }

    /// A percentage with at most two decimals, a number or a string, in hundredths of a percent.
    pub fn percent(&mut self, path: FieldPath<'_>, range: RangeInclusive<i64>, rule: &str) -> Reading<Option<i64>> {
        let given = self.value()?;
        let rate = match given.starts_with('"') {
            true => serde_json::from_str::<Cow<'_, str>>(given).ok().and_then(|text| parse_text(&text, 2, 1_000_000)),
            false => parse_number(given, 2, 1_000_000),
        };
        let rate = rate.filter(|rate| range.contains(rate));
        if rate.is_none() {
            self.problem(path, format!("must be {rule}"));
        }
        Ok(rate)
    }

    /// What is said about a postal address: keys that are left out stay as they were, null clears.
    pub fn address(&mut self) -> Reading<AddressChange> {
        const NAMES: [&str; 6] = ["line1", "line2", "city", "region", "postcode", "country"];
        let mut address = AddressChange::default();
        if self.is_null()? {
            return Ok(AddressChange::cleared());
        }
        self.object(FieldPath::section("address"), &NAMES, |reader, at| {
            let Some(name) = NAMES.get(at) else { return Ok(()) };
            let text = reader.maybe_text(FieldPath::section("address").field(name), 255)?;
            match at {
                0 => address.line1 = text,
                1 => address.line2 = text,
                2 => address.city = text,
                3 => address.region = text,
                4 => address.postcode = text,
                _ => address.country = text,
            }
            Ok(())
        })?;
        Ok(address)
    }

    /// At least one of the keys must have been given.
    pub fn require_some<const N: usize>(&mut self, given: Option<[bool; N]>) {
        if given == Some([false; N]) {
            self.problem(FieldPath::section(BODY), "must have at least one property");
        }
    }
}

/// What a date of the books is.
pub const BOOK_DATE_RULE: &str = "must be a real calendar date YYYY-MM-DD from 1900-01-01 to 2199-12-31";

/// Reads a date of the books.
pub fn parse_book_date(text: &str) -> Option<Date> {
    Date::parse(text).filter(|date| (FIRST_DATE..=LAST_DATE).contains(date))
}

/// What the last day of a period is refused with; none when the period may be asked for.
pub fn period_rule((first, last): (Date, Date), days_max: i32) -> Option<String> {
    if first > last {
        return Some("must not be before the first day of the period".to_owned());
    }
    (last - first >= days_max).then(|| format!("must end a period of at most {days_max} days"))
}

/// What a tax month is refused with.
pub const TAX_MONTH_RULE: &str =
    "must be the last day of a tax month, a 5th such as 2026-04-05, from 1900-01-05 to 2199-12-05";

/// Reads the last day of a tax month.
pub fn parse_tax_month(text: &str) -> Option<TaxMonth> {
    parse_book_date(text).and_then(TaxMonth::ending)
}

/// A unique taxpayer reference: ten digits.
pub fn utr(reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<Option<String>> {
    let read = reader.text(path, 0..=20)?;
    let Some(text) = read else { return Ok(None) };
    if text.len() != 10 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        reader.problem(path, "must be 10 digits");
        return Ok(None);
    }
    Ok(Some(text.into_owned()))
}

/// Reads one spelling of a decimal.
type Parse = fn(&str) -> Option<Decimal4>;

impl StrictReader<'_> {
    /// A decimal: a number, or a string.
    fn decimal(
        &mut self,
        path: FieldPath<'_>,
        (number, text): (Parse, Parse),
        rule: &str,
    ) -> Reading<Option<Decimal4>> {
        let given = self.value()?;
        let read = match given.starts_with('"') {
            true => serde_json::from_str::<Cow<'_, str>>(given).ok().and_then(|given| text(&given)),
            false => number(given),
        };
        if read.is_none() {
            self.problem(path, rule);
        }
        Ok(read)
    }

    /// How many.
    pub fn quantity(&mut self, path: FieldPath<'_>) -> Reading<Option<Decimal4>> {
        let rule = "must be a number with at most four decimals from -999999.9999 to 999999.9999, and not 0";
        self.decimal(path, (Decimal4::parse_quantity_number, Decimal4::parse_quantity_text), rule)
    }

    /// The price of one.
    pub fn unit_price(&mut self, path: FieldPath<'_>) -> Reading<Option<Decimal4>> {
        let rule = "must be a number with at most four decimals from -99999999.9999 to 99999999.9999";
        self.decimal(path, (Decimal4::parse_unit_price_number, Decimal4::parse_unit_price_text), rule)
    }

    /// An amount of more than nothing.
    pub fn cash(&mut self, path: FieldPath<'_>) -> Reading<Option<Pence>> {
        let amount = self.money(path)?;
        if amount.is_some_and(|amount| !amount.is_positive()) {
            self.problem(path, "must be more than 0");
            return Ok(None);
        }
        Ok(amount)
    }
}

/// Reads a list; what could not be read is left out, and is a problem already.
pub fn strict_list<T>(
    reader: &mut StrictReader<'_>,
    section: &'static str,
    length: RangeInclusive<u64>,
    mut read: impl FnMut(&mut StrictReader<'_>, FieldPath<'static>) -> Reading<Option<T>>,
) -> Reading<Vec<T>> {
    let mut items = Vec::new();
    reader.list(section, length, |reader, path| {
        items.extend(read(reader, path)?);
        Ok(())
    })?;
    Ok(items)
}

/// The longest code of an account.
pub const CODE_CHARS_MAX: usize = 20;
/// What is wrong with both keys or neither, where an account has to be named.
pub const EXACTLY_ONE: &str = "exactly one of account_id and account_code is required";
/// What is wrong with both keys, where an account may be named.
pub const ONE_AT_MOST: &str = "only one of account_id and account_code may be given";

/// The two keys that name an account, as given; null is the same as leaving a key out.
#[derive(Default)]
pub(in crate::http) struct AccountRead {
    named: Option<AccountReference>,
    keys_given: u8,
}

impl AccountRead {
    /// Reads the key with the id.
    pub(in crate::http) fn id(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<()> {
        if !reader.is_null()? {
            self.keys_given += 1;
            self.named = reader.id(path)?.map(|id| AccountReference::Id(AccountId(id)));
        }
        Ok(())
    }

    /// Reads the key with the code.
    pub(in crate::http) fn code(&mut self, reader: &mut StrictReader<'_>, path: FieldPath<'_>) -> Reading<()> {
        if !reader.is_null()? {
            self.keys_given += 1;
            let code = reader.text(path, 1..=CODE_CHARS_MAX)?;
            self.named = code.map(|code| AccountReference::Code(code.into_owned()));
        }
        Ok(())
    }

    /// How many of the two keys are given.
    pub(in crate::http) const fn keys_given(&self) -> u8 {
        self.keys_given
    }

    /// Whether both keys are given.
    pub(in crate::http) const fn is_ambiguous(&self) -> bool {
        self.keys_given > 1
    }

    /// The account, if one is named; `path` is that of the object with the keys.
    pub(in crate::http) fn optional(
        self,
        reader: &mut StrictReader<'_>,
        path: FieldPath<'_>,
    ) -> Option<AccountReference> {
        if self.is_ambiguous() {
            reader.problem(path.field("account_id"), ONE_AT_MOST);
        }
        self.named
    }

    /// The account, which has to be named.
    pub(in crate::http) fn required(
        self,
        reader: &mut StrictReader<'_>,
        path: FieldPath<'_>,
    ) -> Option<AccountReference> {
        if self.keys_given != 1 {
            reader.problem(path.field("account_id"), EXACTLY_ONE);
        }
        self.named
    }

    /// The account as it could be read.
    pub(in crate::http) fn named(self) -> Option<AccountReference> {
        self.named
    }
}

/// Words of the usual characters with single dots between them, 64 characters at most, before the @; after it the name of
/// a host: labels of letters, digits and inner hyphens, at least two of them. Letters and digits of any script.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(letter))
    };
    let label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    local.chars().count() <= 64 && local.split('.').all(word) && host.contains('.') && host.split('.').all(label)
}
