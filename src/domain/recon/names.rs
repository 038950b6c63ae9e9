//! Which rows say whose payment they are, and which two rows name different people.
//!
//! Two names that have nothing in common contradict each other where the file shows that its two sides share names: then
//! equal amounts are chance. A row without a name ("Sundry", "FASTER PAYMENT 00412") contradicts nothing, and neither does a
//! name that the other side is not known to use.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: rows and words are ids handed out by `words`, counts are below 2^32"
)]

use crate::domain::control::Stopped;

use super::evidence::{Evidence, NAT, Pair, Reader, Texts};
use super::pace::Pace;
use super::words::{Kind, Side, Vocabulary};

/// Pairs that the usual share of common names is worth against those of the file.
const USUAL_PAIRS: f64 = 4.0;

/// Share of true pairs with names on both sides that have a name in common, before the file has shown anything.
const USUAL_SHARE: f64 = 0.9;

/// Pairs that the file's share is worth against those of one word.
const FILE_PAIRS: f64 = 4.0;

/// Words of one side of the one accident that is granted to every file.
const ACCIDENT_WORDS: f64 = 2.0;

/// Words in common that say so much for a pair say more than two names against it ("clean" and "cleaning").
const AGREES: i32 = 3 * NAT;

/// Share from which on a name without a counterpart contradicts.
const SURE: f32 = 0.95;

/// Words that name nobody: how money moved, what papers and companies are called, days, and what things were bought or done.
/// Only words of two and more letters; one-letter words are initials.
const NAMES_NOBODY: &str = "\
    ac acc account accrual acct ach admin advance advertising advice allowance and annual apr april asset at atm aug \
    august bacs balance bank banking bbp bcc be bgc bill billpay bills bonus books branch broadband by car card cash \
    catering cdm chaps charge charges checked cheque chq christmas clean cleaning client clothing co coded coffee \
    com commission company consultancy consumables contactless contract contractor cost costs counter courier cpm cr \
    credit ctls customer day days dd ddr debit dec december deposit diesel digital dinner direct dividend donation \
    donations donor dr drawings drinks ecom electric electricity energy entertaining equipment estimate event exp \
    expense expenses exps fares faster feb february fee fees flight float flowers food for fp fpi fpo fps fr freight \
    fri friday from fuel full furniture gas gb general gift gifts giro goods grant group hardware heating hire hmrc \
    holdings hospitality hotel iban in income inst instalment instalments instore insurance interest international \
    internet into inv invoice invoices item items jan january job jul july jun june kitchen landline laundry lease \
    legal licence lighting limited llc llp loan ltd lunch machine maestro maintenance mar march marketing mastercard \
    materials may meal meals meeting mileage misc miscellaneous mobile mon monday month monthly months motor net nic \
    no note nov november number oct october of office oil on online order orders other out overtime packaging paid \
    paper parking part parts pay paye payee payer paying payment payments payroll pension petrol petty phone plc pos \
    post postage print printing professional project property pty purchase q1 q2 q3 q4 quarter queries query rates \
    recd receipt receipts received ref reference refreshment refreshments refund regular remittance rent rental rep \
    repair repairs reversal rtn run running salaries salary sale sales sanitary sat saturday savings sbt security \
    sep sepa sept september service services settlement site sms software sq stamps standing statement stationery \
    sto stock stop sub subs subscription subscriptions subsistence summary sun sunday sundries sundry supplier \
    supplies supply suspense swift takings tax taxi tbc telephone tfr the thu thursday tickets till tip tips to \
    tools trade train training transaction transfer travel trf tue tuesday tuition txn uk uniform unknown utilities \
    utility van various vat vehicle via vis visa wages waste water web wed wednesday week weekly weeks with work \
    workwear www year yearly";

/// For every row, which of its words tell something, and how surely its names are shared.
pub(super) struct Names {
    bank: Vec<Named>,
    book: Vec<Named>,
}

#[derive(Debug, Clone, Copy)]
struct Named {
    /// Names, numbers and codes, one bit each by place in the row.
    telling: u16,
    /// Share of the pairs with the least shared of its names that have a name in common; 0 without a name.
    share: f32,
    /// The same without one pair that has none in common.
    share_of_others: f32,
}

/// Whether each word can be a name.
pub(super) fn names(vocabulary: &Vocabulary) -> Vec<bool> {
    let mut names: Vec<bool> = (0..vocabulary.len() as u32)
        .map(|word| vocabulary.kind(word) == Kind::Letters && vocabulary.initial(word) != 0)
        .collect();
    for word in NAMES_NOBODY.split_whitespace() {
        if let Some(id) = vocabulary.id(word.as_bytes()) {
            names[id as usize] = false;
        }
    }
    names
}

/// Words that were seen once or never, a few times, and often: a word of the first kind is judged by the others of it.
fn frequency(pairs: u32) -> usize {
    match pairs {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    }
}

impl Names {
    /// Learns from pairs that are each other's only candidate how often names are shared.
    pub(super) fn learn(texts: &Texts, evidence: &Evidence, pairs: &[Pair], pace: &Pace<'_>) -> Result<Self, Stopped> {
        let words = texts.vocabulary.len();
        let mut reader = Reader::new(words);
        // For each word the pairs with a name in common, and all pairs with a name on both sides.
        let mut bank_counts = vec![(0_u32, 0_u32); words];
        let mut book_counts = vec![(0_u32, 0_u32); words];
        let (mut shared, mut named) = (0.0, 0.0);
        for &(bank, book) in pairs {
            pace.spend(128)?;
            let (bank, book) = (bank as usize, book as usize);
            reader.load(evidence, texts, bank);
            let (bank_words, book_words) = reader.common_words(evidence, texts, book, true);
            let known = [(&texts.bank, bank, bank_words), (&texts.book, book, book_words)].map(|(side, row, known)| {
                let mut names =
                    side.row(row).iter().enumerate().filter(|(_, word)| texts.names[**word as usize]).peekable();
                let is_named = names.peek().is_some();
                (is_named, names.any(|(place, _)| known >> place & 1 == 1))
            });
            if !known[0].0 || !known[1].0 {
                continue;
            }
            let is_shared = known[0].1 || known[1].1;
            named += 1.0;
            shared += f64::from(u8::from(is_shared));
            for (side, row, counts) in [(&texts.bank, bank, &mut bank_counts), (&texts.book, book, &mut book_counts)] {
                for &word in side.row(row).iter().filter(|word| texts.names[**word as usize]) {
                    counts[word as usize].0 += u32::from(is_shared);
                    counts[word as usize].1 += 1;
                }
            }
        }
        // One pair without a common name may be the accident that is looked for.
        let usual = (shared + USUAL_PAIRS * USUAL_SHARE) / (f64::max(shared, named - 1.0) + USUAL_PAIRS);
        let side = |side: &Side, rows: usize, counts: &[(u32, u32)]| -> Result<Vec<Named>, Stopped> {
            let mut seen = [(0.0, 0.0); 3];
            for &(shared, all) in counts {
                let sum = &mut seen[frequency(all)];
                *sum = (sum.0 + f64::from(shared), sum.1 + f64::from(all));
            }
            let usual = seen.map(|(shared, all)| {
                (shared + USUAL_PAIRS * usual) / (f64::max(shared, all - ACCIDENT_WORDS) + USUAL_PAIRS)
            });
            let share = |shared: u32, all: u32| {
                ((f64::from(shared) + FILE_PAIRS * usual[frequency(all)]) / (f64::from(all) + FILE_PAIRS)) as f32
            };
            let row = |row: usize| {
                let mut named = Named { telling: 0, share: 1.0, share_of_others: 1.0 };
                let mut is_named = false;
                for (place, &word) in side.row(row).iter().enumerate() {
                    let is_name = texts.names[word as usize];
                    named.telling |= u16::from(is_name || texts.vocabulary.kind(word) != Kind::Letters) << place;
                    if !is_name {
                        continue;
                    }
                    is_named = true;
                    let (shared, all) = counts[word as usize];
                    let others = all.saturating_sub(1);
                    named.share = named.share.min(share(shared, all));
                    named.share_of_others = named.share_of_others.min(share(shared.min(others), others));
                }
                if is_named { named } else { Named { share: 0.0, share_of_others: 0.0, ..named } }
            };
            pace.check()?;
            (0..rows).map(|at| pace.spend(64).map(|()| row(at))).collect()
        };
        Ok(Self {
            bank: side(&texts.bank, texts.bank_days.len(), &bank_counts)?,
            book: side(&texts.book, texts.book_days.len(), &book_counts)?,
        })
    }

    /// Whether the bank row that `reader` holds and a book row name different people. `is_only_candidate` says that the two
    /// are each other's only candidate: what was learned from the pair itself does not speak for it.
    pub(super) fn contradict(
        &self,
        reader: &Reader,
        evidence: &Evidence,
        texts: &Texts,
        (bank, book): (usize, usize),
        is_only_candidate: bool,
    ) -> bool {
        let (at_bank, in_books) = (self.bank[bank], self.book[book]);
        let share = match is_only_candidate {
            true => at_bank.share_of_others.min(in_books.share_of_others),
            false => at_bank.share.min(in_books.share),
        };
        if share < SURE {
            return false;
        }
        let (bank_words, book_words) = reader.common_words(evidence, texts, book, false);
        bank_words & at_bank.telling == 0
            && book_words & in_books.telling == 0
            && reader.wording_gain(evidence, texts, book) < AGREES
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dataset, Options, Rows, run};
    use crate::domain::control::Unattended;
    use crate::domain::date::Date;

    const PAYEES: [&str; 14] = [
        "Abdon", "Bewley", "Corfe", "Dunkery", "Elmstead", "Fowey", "Glynde", "Harcombe", "Ingram", "Jolyon",
        "Kerridge", "Lavant", "Merrow", "Northiam",
    ];

    /// Rows left open at the bank, of 14 pairs with one amount each and one more.
    fn left_open(in_books: impl Fn(usize) -> String, bank: &str, book: &str) -> usize {
        let (mut bank_rows, mut book_rows) = (Rows::default(), Rows::default());
        for (at, name) in PAYEES.iter().enumerate() {
            let amount = format!("{}.17", 40 + at * 13);
            assert!(bank_rows.push(Date::numbered(19_000), &amount, &name.to_uppercase()));
            assert!(book_rows.push(Date::numbered(19_000), &amount, &in_books(at)));
        }
        assert!(bank_rows.push(Date::numbered(19_000), "393.73", bank));
        assert!(book_rows.push(Date::numbered(19_000), "393.73", book));
        let dataset = Dataset { bank: bank_rows, book: book_rows };
        let options = Options { window_days: 3, include_matched: false };
        run(&dataset, &options, &Unattended).unwrap().missing_from_books().count()
    }

    #[test]
    fn names_that_contradict_each_other_are_not_paired() {
        let sharing = |at: usize| format!("{} Ltd inv {at}", PAYEES[at]);
        assert_eq!(left_open(sharing, "PENDRY DENTAL", "Quarley Fencing"), 1);
        // The same payee, cut or with an initial; a row that names nobody; a shared reference.
        assert_eq!(left_open(sharing, "PENDRY DENT", "Pendry Dental Laboratory"), 0);
        assert_eq!(left_open(sharing, "PENDRY DENTAL", "Sundry expenses"), 0);
        assert_eq!(left_open(sharing, "FASTER PAYMENT", "Quarley Fencing"), 0);
        assert_eq!(left_open(sharing, "PENDRY DENTAL 40721", "Quarley Fencing 40721"), 0);
    }

    #[test]
    fn words_that_say_enough_for_a_pair_outweigh_names() {
        let sharing = |at: usize| format!("{} Ltd inv {at}", PAYEES[at]);
        assert_eq!(left_open(sharing, "SILVERBIRCH CARPET REF CLEAN", "Cleaning common parts Weir"), 0);
        assert_eq!(left_open(sharing, "SILVERBIRCH CARPET REF PAYMENT", "Payment common parts Weir"), 1);
    }

    #[test]
    fn nothing_contradicts_where_the_two_sides_never_share_names() {
        let codes = |at: usize| format!("cc{at} zone {}", ["north", "south", "east"][at % 3]);
        assert_eq!(left_open(codes, "PENDRY DENTAL", "Quarley Fencing"), 0);
    }
}
