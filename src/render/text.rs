//! Text set in glyphs: which characters the font has, how wide a text is, and where its lines break.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use harfrust::{Direction, FontRef, GlyphBuffer, ShapePlan, Shaper, ShaperData, UnicodeBuffer, script};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::MetadataProvider as _;
use skrifa::charmap::Charmap;

/// How strong a text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The text of a document.
    Regular,
    /// Headings and totals.
    Bold,
}

/// A character that is printed in place of one that the font lacks.
const BOX: char = '\u{25a1}';

static REGULAR: LazyLock<Option<Face>> = LazyLock::new(|| Face::read(include_bytes!("fonts/NotoSans-Regular.ttf")));
static BOLD: LazyLock<Option<Face>> = LazyLock::new(|| Face::read(include_bytes!("fonts/NotoSans-Bold.ttf")));

/// One of the two fonts, read once in the life of the process.
struct Face {
    font: Font,
    read: FontRef<'static>,
    data: ShaperData,
    plan: ShapePlan,
    units_per_em: f32,
}

impl Face {
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let font = Font::new(bytes.into(), 0)?;
        let read = FontRef::new(bytes).ok()?;
        let data = ShaperData::new(&read);
        let shaper = data.shaper(&read).build();
        let plan = ShapePlan::new(&shaper, Direction::LeftToRight, Some(script::LATIN), None, &[]);
        let units_per_em = length(shaper.units_per_em());
        Some(Self { font, read, data, plan, units_per_em })
    }
}

/// A length of the font in its units.
fn length(units: i32) -> f32 {
    i16::try_from(units).map_or(0.0, f32::from)
}

/// Sets the texts of one document and remembers the characters that the font lacks.
pub(super) struct Typesetter {
    regular: Setter,
    bold: Setter,
    missing: BTreeSet<char>,
}

/// A font with what it needs to set text.
struct Setter {
    face: &'static Face,
    shaper: Shaper<'static>,
    characters: Charmap<'static>,
    /// The buffer of the text before, whose memory is used again.
    buffer: Option<UnicodeBuffer>,
}

impl Typesetter {
    /// None when the fonts cannot be read, which a test of this crate excludes.
    pub(super) fn new() -> Option<Self> {
        let setter = |face: &'static Option<Face>| {
            let face = face.as_ref()?;
            let shaper = face.data.shaper(&face.read).build();
            Some(Setter { face, shaper, characters: face.read.charmap(), buffer: None })
        };
        Some(Self { regular: setter(&REGULAR)?, bold: setter(&BOLD)?, missing: BTreeSet::new() })
    }

    /// The characters that were printed as a box, in the order of their code points.
    pub(super) fn into_missing(self) -> Vec<char> {
        self.missing.into_iter().collect()
    }

    /// Sets a text that has no ends of lines in it. Characters that are not visible and that the font lacks print nothing.
    pub(super) fn set(&mut self, text: &str, weight: Weight) -> SetText {
        let setter = match weight {
            Weight::Regular => &mut self.regular,
            Weight::Bold => &mut self.bold,
        };
        let mut buffer = setter.buffer.take().unwrap_or_default();
        buffer.set_direction(Direction::LeftToRight);
        buffer.set_script(script::LATIN);
        let mut kept = String::with_capacity(text.len());
        for character in text.chars() {
            let character = if character == '\t' { ' ' } else { character };
            let at = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            let shown = if setter.characters.map(character).is_some() {
                character
            } else if is_ignorable(character) {
                continue;
            } else {
                self.missing.insert(character);
                BOX
            };
            // A PDF for archives maps no glyph to a character that has no meaning to others.
            kept.push(if is_meaningless(character) { char::REPLACEMENT_CHARACTER } else { character });
            buffer.add(shown, at);
        }
        let shaped = setter.shaper.shape_with_plan(&setter.face.plan, buffer, &[]);
        let glyphs = placed(&shaped, kept.len(), setter.face.units_per_em);
        setter.buffer = Some(shaped.clear());
        SetText { text: kept, glyphs, font: setter.face.font.clone() }
    }
}

/// The glyphs of a shaped text, each with the part of the text that it stands for, in parts of an em.
fn placed(shaped: &GlyphBuffer, text_length: usize, units_per_em: f32) -> Vec<KrillaGlyph> {
    let infos = shaped.glyph_infos();
    let start = |info: &harfrust::GlyphInfo| usize::try_from(info.cluster).unwrap_or(text_length);
    let mut ends = vec![text_length; infos.len()];
    let mut next = (text_length, text_length);
    for (info, end) in infos.iter().zip(ends.iter_mut()).rev() {
        if start(info) != next.0 {
            next = (start(info), next.0);
        }
        *end = next.1;
    }
    let em = |units: i32| length(units) / units_per_em;
    let pairs = infos.iter().zip(shaped.glyph_positions()).zip(ends);
    let glyph = |((info, position), end): ((&harfrust::GlyphInfo, &harfrust::GlyphPosition), usize)| {
        let id = GlyphId::new(info.glyph_id);
        let (advance, x, y) = (em(position.x_advance), em(position.x_offset), em(position.y_offset));
        KrillaGlyph::new(id, advance, x, y, 0.0, start(info)..end, None)
    };
    pairs.map(glyph).collect()
}

/// Whether a character asks for nothing to be seen (Unicode's `Default_Ignorable_Code_Point`).
const fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a character is a control, for private use, or none at all.
pub(super) fn is_meaningless(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}'
        )
        // The last two of every plane are no characters.
        || u32::from(character) & 0xfffe == 0xfffe
}

/// A text set in glyphs.
pub(super) struct SetText {
    /// The text that the glyphs stand for.
    pub(super) text: String,
    /// The glyphs; lengths are parts of an em.
    pub(super) glyphs: Vec<KrillaGlyph>,
    /// The font they belong to.
    pub(super) font: Font,
}

/// A line of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Its glyphs, with the spaces at its end.
    pub(super) glyphs: Range<usize>,
    /// Its width without them, in em.
    pub(super) width: f32,
}

impl SetText {
    /// The width without spaces at the end, in em.
    pub(super) fn width(&self) -> f32 {
        self.width_of(0..self.glyphs.len())
    }

    fn width_of(&self, range: Range<usize>) -> f32 {
        let glyphs = self.glyphs.get(range).unwrap_or_default();
        let seen = glyphs.iter().rposition(|glyph| !self.is_space(glyph)).map_or(0, |last| last + 1);
        glyphs.iter().take(seen).map(|glyph| glyph.x_advance).sum()
    }

    fn part(&self, glyph: &KrillaGlyph) -> &str {
        self.text.get(glyph.text_range.clone()).unwrap_or_default()
    }

    fn is_space(&self, glyph: &KrillaGlyph) -> bool {
        // A no-break space holds together what it stands between.
        self.part(glyph).chars().all(|part| part.is_whitespace() && part != '\u{a0}' && part != '\u{202f}')
    }

    /// Breaks the text into lines no wider than this, after spaces, hyphens and slashes, and inside a word where the word
    /// alone is wider. A text of nothing is one empty line.
    pub(super) fn lines(&self, width: f32) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut start = 0;
        while start < self.glyphs.len() {
            let end = self.line_end(start, width);
            lines.push(Line { glyphs: start..end, width: self.width_of(start..end) });
            start = end;
        }
        if lines.is_empty() {
            lines.push(Line { glyphs: 0..0, width: 0.0 });
        }
        lines
    }

    /// The glyph after the last of the line that begins at `start`.
    fn line_end(&self, start: usize, width: f32) -> usize {
        let (mut taken, mut may_end, mut before) = (0.0, None, None);
        for (at, glyph) in self.glyphs.iter().enumerate().skip(start) {
            // Glyphs of one character, such as a letter and its accent, stay together.
            let begins = before.is_none_or(|range: &Range<usize>| range.start != glyph.text_range.start);
            if begins && at > start && self.breaks_before(at) {
                may_end = Some(at);
            }
            taken += glyph.x_advance;
            if taken > width && !self.is_space(glyph) {
                return may_end.or_else(|| self.character_start(start, at)).unwrap_or(at + 1);
            }
            before = Some(&glyph.text_range);
        }
        self.glyphs.len()
    }

    /// Whether a line may end before a glyph.
    fn breaks_before(&self, at: usize) -> bool {
        let glyph = |at: usize| self.glyphs.get(at);
        let (Some(before), Some(after)) = (at.checked_sub(1).and_then(glyph), glyph(at)) else { return false };
        let ends_with = |marks: &[char]| self.part(before).ends_with(marks);
        let is_digit = self.part(after).starts_with(|next: char| next.is_ascii_digit());
        !self.is_space(after) && (self.is_space(before) || ends_with(&['-', '/', '\u{2010}']) && !is_digit)
    }

    /// The first glyph of the character at a glyph, when the line holds another character before it.
    fn character_start(&self, start: usize, at: usize) -> Option<usize> {
        let cluster = self.glyphs.get(at)?.text_range.start;
        let first = self.glyphs.iter().take(at).rposition(|glyph| glyph.text_range.start != cluster)? + 1;
        (first > start).then_some(first)
    }
}

/// The paragraphs of a text, which end where its lines do.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
        .map(|paragraph| paragraph.strip_suffix('\r').unwrap_or(paragraph))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: f32) -> Vec<String> {
        let set = Typesetter::new().unwrap().set(text, Weight::Regular);
        let lines = set.lines(width);
        assert!(lines.iter().all(|line| line.width <= width || line.glyphs.len() == 1), "{text} {lines:?}");
        let shown =
            |line: &Line| set.glyphs[line.glyphs.clone()].iter().map(|glyph| set.part(glyph)).collect::<String>();
        lines.iter().map(shown).collect()
    }

    #[test]
    fn lines_end_after_spaces_and_hyphens_and_inside_words_that_are_too_wide() {
        assert_eq!(lines("", 10.0), [""]);
        assert_eq!(lines("Brass hinge set", 100.0), ["Brass hinge set"]);
        assert_eq!(lines("Brass hinge set", 5.9), ["Brass hinge ", "set"]);
        assert_eq!(lines("well-known thing", 4.0), ["well-", "known ", "thing"]);
        assert_eq!(lines("2025-04-14", 3.0).concat(), "2025-04-14");
        let long = "W".repeat(255);
        let broken = lines(&long, 10.0);
        assert!(broken.len() > 20 && broken.concat() == long);
        // A line takes at least one character, however narrow it is.
        assert_eq!(lines("WWW", 0.1), ["W", "W", "W"]);
        assert_eq!(lines("a\u{a0}b c", 1.3), ["a\u{a0}", "b ", "c"]);
    }

    #[test]
    fn letters_with_combining_accents_stay_together() {
        let text = "e\u{301}".repeat(20);
        let broken = lines(&text, 2.0);
        assert!(broken.len() > 2);
        assert!(broken.iter().all(|line| line.starts_with('e') && line.ends_with('\u{301}')), "{broken:?}");
    }

    #[test]
    fn figures_have_one_width_in_both_weights() {
        let mut typesetter = Typesetter::new().unwrap();
        for weight in [Weight::Regular, Weight::Bold] {
            let widths = ["0000000000", "1111111111", "7474747474"].map(|text| typesetter.set(text, weight).width());
            assert!(widths.iter().all(|width| (width - 5.72).abs() < 0.001), "{widths:?}");
        }
    }

    #[test]
    fn what_the_font_lacks_is_a_box_and_is_named() {
        let mut typesetter = Typesetter::new().unwrap();
        let set = typesetter.set("a\u{6587}\u{1f600}\u{e000}\u{0}b\u{200b}\u{feff}\u{fe0f}", Weight::Regular);
        let boxes = set.glyphs.iter().filter(|glyph| ["\u{6587}", "\u{1f600}", "\u{fffd}"].contains(&set.part(glyph)));
        let ids: BTreeSet<u32> = boxes.clone().map(|glyph| glyph.glyph_id.to_u32()).collect();
        assert_eq!((boxes.count(), ids.len()), (4, 1));
        assert!(set.glyphs.iter().all(|glyph| glyph.glyph_id.to_u32() != 0));
        assert_eq!(typesetter.into_missing(), ['\u{0}', '\u{6587}', '\u{e000}', '\u{1f600}']);
    }

    #[test]
    fn the_letters_of_european_alphabets_are_there() {
        let mut typesetter = Typesetter::new().unwrap();
        typesetter.set("£€ Łódź Größe ŵŷ Ελλάδα Україна Ștefan œuvre ½ № – — ‘’ “” … • − × ÷ ≈", Weight::Bold);
        assert_eq!(typesetter.into_missing(), ['≈']);
    }

    #[test]
    fn paragraphs_end_at_any_kind_of_line_end() {
        assert_eq!(paragraphs("a\r\nb\nc\u{2028}d").collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(paragraphs("").collect::<Vec<_>>(), [""]);
    }
}
