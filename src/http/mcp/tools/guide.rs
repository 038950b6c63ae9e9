//! `lookup_guide`: the pages of `docs/guide`, by topic or by the words of a question.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;

use super::answer;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::outcome::Outcome;

/// The pages by topic, in the order they are listed.
const FILES: [(&str, &str); 15] = [
    ("vat-codes", include_str!("../../../../docs/guide/vat-codes.md")),
    ("vat-schemes", include_str!("../../../../docs/guide/vat-schemes.md")),
    ("invoices", include_str!("../../../../docs/guide/invoices.md")),
    ("credit-notes", include_str!("../../../../docs/guide/credit-notes.md")),
    ("settlement", include_str!("../../../../docs/guide/settlement.md")),
    ("bank-lines", include_str!("../../../../docs/guide/bank-lines.md")),
    ("transfers", include_str!("../../../../docs/guide/transfers.md")),
    ("cis", include_str!("../../../../docs/guide/cis.md")),
    ("opening-balances", include_str!("../../../../docs/guide/opening-balances.md")),
    ("imports", include_str!("../../../../docs/guide/imports.md")),
    ("corrections", include_str!("../../../../docs/guide/corrections.md")),
    ("period-lock", include_str!("../../../../docs/guide/period-lock.md")),
    ("coding", include_str!("../../../../docs/guide/coding.md")),
    ("credits", include_str!("../../../../docs/guide/credits.md")),
    ("limits", include_str!("../../../../docs/guide/limits.md")),
];

/// How many pages answer a question, and how many titles one that no page answers.
const PAGES_MAX: usize = 3;
const TITLES_MAX: usize = 5;

/// How often a word counts in a text, and what it counts in a title.
const TIMES_MAX: usize = 3;
const IN_TITLE: usize = 8;

/// The shortest beginning by which a word stands for another: `invoice` for `invoices`.
const STEM_LENGTH_MIN: usize = 4;

/// Words of questions that say nothing of what is asked.
const FILLERS: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for", "from", "get", "have", "how",
    "i", "in", "is", "it", "me", "my", "of", "on", "or", "our", "should", "that", "the", "this", "to", "was", "we",
    "what", "when", "where", "which", "with", "you",
];

/// A page with its words.
struct Page {
    topic: &'static str,
    title: &'static str,
    text: &'static str,
    title_words: Vec<String>,
    words: Vec<String>,
}

static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let page = |(topic, text): (&'static str, &'static str)| {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        let title_words = words(&format!("{topic} {title}"));
        Page { topic, title, text, title_words, words: words(text) }
    };
    FILES.into_iter().map(page).collect()
});

#[derive(Serialize)]
struct Topics {
    topics: Vec<Topic>,
}

#[derive(Serialize)]
struct Topic {
    topic: &'static str,
    title: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

impl Page {
    fn whole(&self) -> Topic {
        Topic { text: Some(self.text), ..self.named() }
    }

    const fn named(&self) -> Topic {
        Topic { topic: self.topic, title: self.title, text: None }
    }
}

/// The page of a topic, or the pages that answer a question best; else what there is.
pub(super) fn look_up(arguments: &Arguments) -> Outcome {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let topics = match (text("topic"), text("query")) {
        (Some(topic), _) => match PAGES.iter().find(|page| page.topic.eq_ignore_ascii_case(topic)) {
            Some(page) => vec![page.whole()],
            None => PAGES.iter().map(Page::named).collect(),
        },
        (None, Some(query)) => found(query),
        (None, None) => PAGES.iter().map(Page::named).collect(),
    };
    answer(&Topics { topics })
}

/// The words of a text in small letters.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether two words are one, or one begins with the other.
fn is_alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short == long || (short.len() >= STEM_LENGTH_MIN && long.starts_with(short))
}

/// The best pages with their texts; where none has any word of the question, the titles that look most like it.
fn found(query: &str) -> Vec<Topic> {
    let mut asked = words(query);
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|word| !FILLERS.contains(&word.as_str()));
    let mut scores = vec![0; PAGES.len()];
    for word in &asked {
        let times = |words: &[String]| words.iter().filter(|known| is_alike(word, known)).take(TIMES_MAX).count();
        let counts: Vec<usize> =
            PAGES.iter().map(|page| times(&page.words) + IN_TITLE * times(&page.title_words).min(1)).collect();
        // A word that few pages have tells more.
        let weight = PAGES.len() + 1 - counts.iter().filter(|count| **count > 0).count();
        scores.iter_mut().zip(&counts).for_each(|(score, count)| *score += count * weight);
    }
    let best = scores.iter().copied().max().unwrap_or_default();
    if best == 0 {
        return closest(query);
    }
    let mut ranked: Vec<(usize, &Page)> = scores.into_iter().zip(PAGES.iter()).collect();
    ranked.retain(|(score, _)| *score * 2 >= best);
    ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    ranked.iter().take(PAGES_MAX).map(|(_, page)| page.whole()).collect()
}

/// The titles that share most pairs of letters with a question.
fn closest(query: &str) -> Vec<Topic> {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let letters: Vec<char> = text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        letters.iter().copied().zip(letters.iter().copied().skip(1)).collect()
    };
    let asked = pairs(query);
    let mut ranked: Vec<(usize, &Page)> = PAGES
        .iter()
        .map(|page| {
            let known = pairs(&format!("{} {}", page.topic, page.title));
            (asked.iter().filter(|pair| known.contains(pair)).count(), page)
        })
        .collect();
    ranked.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    ranked.iter().take(TITLES_MAX).map(|(_, page)| page.named()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The longest page, in characters.
    const PAGE_CHARACTERS_MAX: usize = 2_000;

    #[test]
    fn there_are_fifteen_pages_each_short_and_with_a_title() {
        let topics: Vec<_> = PAGES.iter().map(|page| page.topic).collect();
        assert_eq!(
            topics,
            [
                "vat-codes",
                "vat-schemes",
                "invoices",
                "credit-notes",
                "settlement",
                "bank-lines",
                "transfers",
                "cis",
                "opening-balances",
                "imports",
                "corrections",
                "period-lock",
                "coding",
                "credits",
                "limits",
            ]
        );
        for page in PAGES.iter() {
            let length = page.text.chars().count();
            assert!((500..=PAGE_CHARACTERS_MAX).contains(&length), "{} has {length} characters", page.topic);
            assert!(page.text.starts_with(&format!("# {}\n\n", page.title)), "{}", page.topic);
        }
        let titles: BTreeSet<_> = PAGES.iter().map(|page| page.title).collect();
        assert_eq!(titles.len(), PAGES.len());
    }

    #[test]
    fn the_folder_of_the_documentation_has_these_pages_and_lists_them() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide");
        let files: BTreeSet<String> = std::fs::read_dir(&folder)
            .expect("the folder")
            .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
            .collect();
        let mut expected: BTreeSet<String> = PAGES.iter().map(|page| format!("{}.md", page.topic)).collect();
        expected.insert("README.md".to_owned());
        assert_eq!(files, expected);
        let index = std::fs::read_to_string(folder.join("README.md")).expect("the index");
        for page in PAGES.iter() {
            assert!(index.contains(&format!("[{0}]({0}.md)", page.topic)), "{}", page.topic);
        }
    }

    #[test]
    fn questions_find_their_page() {
        let first = |query: &str| found(query).first().map(|topic| (topic.topic, topic.text.is_some()));
        for (query, topic) in [
            ("VAT codes", "vat-codes"),
            ("How do I move money between own bank accounts?", "transfers"),
            ("flat rate", "vat-schemes"),
            ("subcontractor deduction", "cis"),
            ("void an invoice", "invoices"),
            ("refund a customer who paid too much", "settlement"),
            ("filing a tax return", "limits"),
            ("who can pay suppliers for us? payment file", "limits"),
            ("price of a reconciliation job", "credits"),
            ("CSV upload", "imports"),
            ("trial balance from old system", "opening-balances"),
            ("locked period", "period-lock"),
            ("confidence", "coding"),
            ("undo a posted journal", "corrections"),
            ("exclude duplicate bank line", "bank-lines"),
            ("take back what was invoiced", "credit-notes"),
        ] {
            assert_eq!(first(query), Some((topic, true)), "{query}");
        }
        assert!(found("vat return of an invoice under cis with a bank transfer").len() <= PAGES_MAX);
    }

    #[test]
    fn what_no_page_has_gets_the_closest_titles() {
        for query in ["zzz", "??", "how do I", "日本"] {
            let titles = found(query);
            assert!(titles.len() == TITLES_MAX && titles.iter().all(|topic| topic.text.is_none()), "{query}");
        }
        let titles = found("trnsfr btwn accnts");
        assert_eq!(titles.first().map(|topic| topic.topic), Some("transfers"));
    }
}
