//! Text as the engine compares it: upper case, no accents, words and numbers parted by single spaces.

/// Folds text: letters to upper case without accents, `&` to `AND`, arrows to `TO`, apostrophes dropped, everything else that is neither
/// letter nor digit to one space. Letters of other scripts stay as they are.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            'A'..='Z' | '0'..='9' => folded.push(character),
            'a'..='z' => folded.push(character.to_ascii_uppercase()),
            '\'' | '\u{2019}' | '`' | '\u{ad}' => {}
            _ if is_unseen(character) => {}
            '&' => {
                part(&mut folded);
                folded.push_str("AND ");
            }
            '\u{2192}' | '\u{27a1}' => {
                part(&mut folded);
                folded.push_str("TO ");
            }
            _ if character.is_ascii() => part(&mut folded),
            _ => match plain_letters(character) {
                Some(letters) => folded.push_str(letters),
                None if character.is_alphanumeric() => folded.extend(character.to_uppercase()),
                None => part(&mut folded),
            },
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The sentences of a text; a full stop inside a word or a number ends none: *E.ON*, *P.A.Y.E.*, *1,047.50*.
pub fn sentences(context: &str) -> impl Iterator<Item = &str> {
    context.split([';', '\n', '!', '?']).flat_map(|part| {
        let mut rest = Some(part);
        std::iter::from_fn(move || {
            let text = rest?;
            let end = text
                .match_indices(". ")
                .map(|(at, _)| at)
                .find(|at| !is_abbreviated(text.get(..*at).unwrap_or_default()));
            rest = end.and_then(|at| text.get(at + 2..));
            Some(end.and_then(|at| text.get(..at)).unwrap_or(text))
        })
    })
}

/// Whether a text ends with a word that is written with a full stop though the sentence goes on.
fn is_abbreviated(text: &str) -> bool {
    const WORDS: &[&str] = &["incl", "inc", "excl", "approx", "e.g", "i.e", "eg", "ie", "mr", "mrs", "dr", "esp"];
    let last = text.rsplit([' ', '(']).next().unwrap_or("");
    // "D. Rowe".
    let is_initial = last.chars().count() == 1 && last.starts_with(char::is_uppercase) && last != "I";
    is_initial || WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}

fn part(folded: &mut String) {
    if !folded.is_empty() && !folded.ends_with(' ') {
        folded.push(' ');
    }
}

/// Accents typed as characters of their own, and what directs or joins text without being seen: `Cre\u{300}me` is one word.
const fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

/// Latin letters with marks as they are typed without them.
const fn plain_letters(character: char) -> Option<&'static str> {
    Some(match character {
        'À'..='Å' | 'à'..='å' | 'Ā' | 'ā' | 'Ă' | 'ă' | 'Ą' | 'ą' => "A",
        'Æ' | 'æ' => "AE",
        'Ç' | 'ç' | 'Ć' | 'ć' | 'Č' | 'č' => "C",
        'Ď' | 'ď' | 'Đ' | 'đ' => "D",
        'È'..='Ë' | 'è'..='ë' | 'Ē' | 'ē' | 'Ę' | 'ę' | 'Ě' | 'ě' => "E",
        'Ì'..='Ï' | 'ì'..='ï' | 'Ī' | 'ī' => "I",
        'Ł' | 'ł' => "L",
        'Ñ' | 'ñ' | 'Ń' | 'ń' | 'Ň' | 'ň' => "N",
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō' | 'ō' | 'Ő' | 'ő' => "O",
        'Œ' | 'œ' => "OE",
        'Ř' | 'ř' => "R",
        'Ś' | 'ś' | 'Š' | 'š' | 'Ş' | 'ş' => "S",
        'ß' => "SS",
        'Ť' | 'ť' | 'Ţ' | 'ţ' => "T",
        'Ù'..='Ü' | 'ù'..='ü' | 'Ū' | 'ū' | 'Ů' | 'ů' | 'Ű' | 'ű' | 'ũ' => "U",
        'Ŵ' | 'ŵ' => "W",
        'Ý' | 'ý' | 'ÿ' | 'Ŷ' | 'ŷ' => "Y",
        'Ź' | 'ź' | 'Ż' | 'ż' | 'Ž' | 'ž' => "Z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn folding_leaves_words_and_numbers() {
        assert_eq!(fold("  Café  L'Amour*Ltd. #12-b & Söhne "), "CAFE LAMOUR LTD 12 B AND SOHNE");
        assert_eq!(fold("שלום 🎉 x"), "שלום X");
        assert_eq!(fold("🎉"), "");
        assert_eq!(fold("Cre\u{300}me\u{200b}rie \u{202e}x\u{202c}\u{feff}"), "CREMERIE X");
        assert_eq!(fold(&fold("É&ß")), fold("É&ß"));
    }
}
