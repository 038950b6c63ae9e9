//! Pages: where texts and rules stand, what they mean to a reader that speaks them, and the PDF made from both.

use std::num::NonZeroU16;
use std::rc::Rc;

use krilla::color::luma;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};
use krilla::{Document, SerializeSettings};

use super::text::{Line, SetText, Typesetter, Weight, is_meaningless};
use super::{Pdf, RenderError};
use crate::domain::date::Date;

/// The margin at each side, in points.
const MARGIN: f32 = 48.0;
/// Where the text of a page begins, below its running header.
const TOP: f32 = 64.0;
/// The base line of the running header.
const HEADER_LINE: f32 = 40.0;
const HEADER_SIZE: f32 = 7.5;
/// The distance of base lines in font sizes.
const LEADING: f32 = 1.35;
/// How far the base line is below the top of a line, in font sizes.
const ASCENT: f32 = 1.0;

/// How dark something is printed, from 0 (black) to 255 (white).
pub(super) type Grey = u8;
/// The colour of texts.
pub(super) const BLACK: Grey = 0;
/// The colour of labels and of the running header: 7 to 1 against white.
pub(super) const DIM: Grey = 84;
const WATERMARK: Grey = 232;

/// How a text is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// The font size in points.
    pub(super) size: f32,
    /// Regular or bold.
    pub(super) weight: Weight,
    /// Its colour.
    pub(super) grey: Grey,
}

impl Style {
    /// Black, in the regular font.
    pub(super) const fn regular(size: f32) -> Self {
        Self { size, weight: Weight::Regular, grey: BLACK }
    }

    /// Black, in the bold font.
    pub(super) const fn bold(size: f32) -> Self {
        Self { size, weight: Weight::Bold, grey: BLACK }
    }

    /// A label.
    pub(super) const fn dim(size: f32) -> Self {
        Self { size, weight: Weight::Regular, grey: DIM }
    }

    /// The distance from one line to the next.
    pub(super) fn leading(&self) -> f32 {
        self.size * LEADING
    }
}

/// Which way a page lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Orientation {
    /// 210 by 297 mm.
    Portrait,
    /// 297 by 210 mm.
    Landscape,
}

/// What is the same on every page.
#[derive(Debug, Clone)]
pub(super) struct Running {
    /// The title of the document, for the running header and the properties of the file.
    pub(super) title: String,
    /// Whose document it is.
    pub(super) author: String,
    /// The day it is of: the creation date that an archive asks of a file.
    pub(super) date: Date,
    /// A large word across each page, such as `DRAFT`.
    pub(super) stamp: Option<&'static str>,
}

/// Something printed.
enum Item {
    /// A line of a text; the number of its content, or none for what is repeated or only decoration.
    Text { text: Rc<SetText>, line: Line, at: (f32, f32), size: f32, grey: Grey, content: Option<usize> },
    /// A filled rectangle: left, top, width, height.
    Bar { area: (f32, f32, f32, f32), grey: Grey },
}

/// What a part of the document is to a reader that speaks it.
pub(super) enum Element {
    /// A part with parts.
    Group(TagKind, Vec<Self>),
    /// The content with this number.
    Content(usize),
}

impl Element {
    /// A paragraph, or a cell's text.
    pub(super) fn paragraph(parts: Vec<Self>) -> Self {
        Self::Group(Tag::P.into(), parts)
    }

    /// A heading with its text; 1 is the title of the document.
    pub(super) fn heading(level: u16, title: &str, parts: Vec<Self>) -> Self {
        let level = NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN);
        Self::Group(Tag::Hn(level, Some(titled(title))).into(), parts)
    }

    /// A cell at the head of a column.
    pub(super) fn head_cell(parts: Vec<Self>) -> Self {
        Self::Group(Tag::TH(TableHeaderScope::Column).into(), parts)
    }

    /// A group of another kind.
    pub(super) fn group(kind: impl Into<TagKind>, parts: Vec<Self>) -> Self {
        Self::Group(kind.into(), parts)
    }

    fn into_node(self, identifiers: &[Option<Identifier>]) -> Option<Node> {
        match self {
            Self::Content(number) => identifiers.get(number).copied().flatten().map(Node::Leaf),
            Self::Group(kind, parts) => {
                let parts = parts.into_iter().filter_map(|part| part.into_node(identifiers)).collect();
                Some(Node::Group(TagGroup::with_children(kind, parts)))
            }
        }
    }
}

/// A line of text on a page.
#[cfg(test)]
#[derive(Debug)]
pub(super) struct PrintedText {
    pub(super) page: usize,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) base_line: f32,
    pub(super) text: String,
}

/// Lays a document out from top to bottom, page by page.
pub(super) struct Layout {
    typesetter: Typesetter,
    running: Running,
    size: (f32, f32),
    pages: Vec<Vec<Item>>,
    contents: usize,
    /// Where the next thing goes, from the top of the page.
    pub(super) y: f32,
}

impl Layout {
    /// A document with one empty page.
    pub(super) fn new(running: Running, orientation: Orientation) -> Result<Self, RenderError> {
        let typesetter = Typesetter::new().ok_or(RenderError::Font)?;
        let (short, long) = (595.28, 841.89);
        let size = match orientation {
            Orientation::Portrait => (short, long),
            Orientation::Landscape => (long, short),
        };
        Ok(Self { typesetter, running, size, pages: vec![Vec::new()], contents: 0, y: TOP })
    }

    /// The left edge of what is printed.
    pub(super) const fn left(&self) -> f32 {
        MARGIN
    }

    /// The width of what is printed.
    pub(super) const fn width(&self) -> f32 {
        self.size.0 - 2.0 * MARGIN
    }

    /// The lowest point of what is printed.
    pub(super) const fn bottom(&self) -> f32 {
        self.size.1 - MARGIN
    }

    /// The height of what is printed on a page.
    pub(super) const fn height(&self) -> f32 {
        self.bottom() - TOP
    }

    /// Goes on to the next page.
    pub(super) fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = TOP;
    }

    /// Goes on to the next page unless there is so much room on this one.
    pub(super) fn need(&mut self, height: f32) -> bool {
        // A point less than the room is rounding.
        let is_full = self.y + height > self.bottom() + 0.01 && self.y > TOP;
        if is_full {
            self.next_page();
        }
        is_full
    }

    /// Sets a text that has no ends of lines in it.
    pub(super) fn set(&mut self, text: &str, weight: Weight) -> Rc<SetText> {
        Rc::new(self.typesetter.set(text, weight))
    }

    /// Prints a line of a text whose top left corner is there, as a part of the document.
    pub(super) fn print(&mut self, text: &Rc<SetText>, line: &Line, at: (f32, f32), style: Style) -> Element {
        let number = self.contents;
        self.contents += 1;
        self.put(text, line, at, style, Some(number));
        Element::Content(number)
    }

    /// Prints a line that is no part of the document: it was printed before, on another page.
    pub(super) fn repeat(&mut self, text: &Rc<SetText>, line: &Line, at: (f32, f32), style: Style) {
        self.put(text, line, at, style, None);
    }

    fn put(&mut self, text: &Rc<SetText>, line: &Line, at: (f32, f32), style: Style, content: Option<usize>) {
        let at = (at.0, at.1 + style.size * ASCENT);
        let text = Rc::clone(text);
        self.item(Item::Text { text, line: line.clone(), at, size: style.size, grey: style.grey, content });
    }

    /// Fills an area (left, top, width, height).
    pub(super) fn bar(&mut self, area: (f32, f32, f32, f32), grey: Grey) {
        self.item(Item::Bar { area, grey });
    }

    fn item(&mut self, item: Item) {
        if let Some(page) = self.pages.last_mut() {
            page.push(item);
        }
    }

    /// Prints a text at the present height between two edges, over as many lines and pages as it takes.
    pub(super) fn flow(&mut self, text: &str, left: f32, width: f32, style: Style) -> Vec<Element> {
        let mut parts = Vec::new();
        for paragraph in super::text::paragraphs(text) {
            let set = self.set(paragraph, style.weight);
            for line in set.lines(width / style.size) {
                self.need(style.leading());
                let at = (left, self.y);
                parts.push(self.print(&set, &line, at, style));
                self.y += style.leading();
            }
        }
        parts
    }

    /// How many pages there are.
    #[cfg(test)]
    pub(super) fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// The lines of text of all pages, in the order in which they were printed.
    #[cfg(test)]
    pub(super) fn printed_texts(&self) -> Vec<PrintedText> {
        let items = self.pages.iter().enumerate().flat_map(|(page, items)| items.iter().map(move |item| (page, item)));
        let text = |(page, item): (usize, &Item)| match item {
            Item::Text { text, line, at, size, .. } => {
                let ranges = text.glyphs[line.glyphs.clone()].iter().map(|glyph| glyph.text_range.clone());
                let (start, end) =
                    ranges.fold((usize::MAX, 0), |(start, end), range| (start.min(range.start), end.max(range.end)));
                let text = text.text.get(start..end).unwrap_or_default().to_owned();
                Some(PrintedText { page, left: at.0, right: at.0 + line.width * size, base_line: at.1, text })
            }
            Item::Bar { .. } => None,
        };
        items.filter_map(text).collect()
    }

    /// Makes the file.
    pub(super) fn finish(self, elements: Vec<Element>) -> Result<Pdf, RenderError> {
        let Self { mut typesetter, running, size, pages, contents, .. } = self;
        let configuration = ConfigurationBuilder::new()
            .with_archival_validator(Archival::A2_A)
            .with_accessibility_validator(Accessibility::UA1)
            .finish()
            .map_err(|error| RenderError::Library(format!("{error:?}")))?;
        let mut document = Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
        let mut identifiers = vec![None; contents];
        let count = pages.len();
        for (index, items) in pages.into_iter().enumerate() {
            let settings = PageSettings::from_wh(size.0, size.1).unwrap_or_default();
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            stamp(&mut surface, &mut typesetter, running.stamp, size);
            header(&mut surface, &mut typesetter, &running, (index + 1, count), size.0);
            for item in items {
                draw(&mut surface, item, &mut identifiers);
            }
            surface.finish();
            page.finish();
        }
        let mut tree = TagTree::new();
        for element in elements {
            if let Some(node) = element.into_node(&identifiers) {
                tree.push(node);
            }
        }
        document.set_tag_tree(tree);
        let mut outline = Outline::new();
        let top = XyzDestination::new(0, Point::from_xy(0.0, 0.0));
        outline.push_child(OutlineNode::new(titled(&running.title), top));
        document.set_outline(outline);
        let metadata = Metadata::new()
            .title(titled(&running.title))
            .authors(vec![titled(&running.author)])
            .language("en-GB".to_owned())
            .creation_date(date_time(running.date));
        document.set_metadata(metadata);
        let bytes = document.finish().map_err(|error| RenderError::Library(format!("{error:?}")))?;
        Ok(Pdf { bytes, missing: typesetter.into_missing() })
    }
}

/// A title for the properties of the file: not blank, as PDF/UA asks, and without characters that its XML cannot hold.
fn titled(title: &str) -> String {
    let meaningful = |character: char| !is_meaningless(character);
    let title: String = title.chars().map(|one| if meaningful(one) { one } else { ' ' }).collect();
    if title.trim().is_empty() { "Document".to_owned() } else { title }
}

fn date_time(date: Date) -> DateTime {
    let (year, month, day) = date.civil();
    let small = |number: i32| u8::try_from(number).unwrap_or(1);
    DateTime::new(u16::try_from(year).unwrap_or(0)).month(small(month)).day(small(day))
}

fn fill(grey: Grey) -> Fill {
    Fill { paint: luma::Color::new(grey).into(), opacity: NormalizedF32::ONE, ..Fill::default() }
}

fn artifact(kind: ArtifactType) -> ContentTag<'static> {
    ContentTag::Artifact(Artifact::with_kind(kind))
}

fn draw(surface: &mut Surface<'_>, item: Item, identifiers: &mut [Option<Identifier>]) {
    match item {
        Item::Bar { area: (left, top, width, height), grey } => {
            let Some(area) = Rect::from_xywh(left, top, width, height) else { return };
            let mut path = PathBuilder::new();
            path.push_rect(area);
            let Some(path) = path.finish() else { return };
            surface.start_tagged(artifact(ArtifactType::Layout));
            surface.set_fill(Some(fill(grey)));
            surface.draw_path(&path);
            surface.end_tagged();
        }
        Item::Text { text, line, at, size, grey, content } => match content.and_then(|at| identifiers.get_mut(at)) {
            Some(identifier) => {
                *identifier = Some(surface.start_tagged(ContentTag::Other));
                glyphs(surface, &text, &line, at, (size, grey));
                surface.end_tagged();
            }
            None => {
                surface.start_tagged(artifact(ArtifactType::PaginationOther));
                glyphs(surface, &text, &line, at, (size, grey));
                surface.end_tagged();
            }
        },
    }
}

fn glyphs(surface: &mut Surface<'_>, text: &SetText, line: &Line, at: (f32, f32), (size, grey): (f32, Grey)) {
    let Some(glyphs) = text.glyphs.get(line.glyphs.clone()) else { return };
    surface.set_fill(Some(fill(grey)));
    surface.draw_glyphs(Point::from_xy(at.0, at.1), glyphs, text.font.clone(), &text.text, size, false);
}

/// Prints the running header: whose document it is, its title, and the number of the page.
fn header(
    surface: &mut Surface<'_>,
    typesetter: &mut Typesetter,
    running: &Running,
    (page, pages): (usize, usize),
    width: f32,
) {
    surface.start_tagged(artifact(ArtifactType::Header));
    let style = (HEADER_SIZE, DIM);
    let number = typesetter.set(&format!("Page {page} of {pages}"), Weight::Regular);
    let number_width = number.width() * HEADER_SIZE;
    let whole = Line { glyphs: 0..number.glyphs.len(), width: number.width() };
    glyphs(surface, &number, &whole, (width - MARGIN - number_width, HEADER_LINE), style);
    let room = width - 2.0 * MARGIN - number_width - 12.0;
    let title = typesetter.set(&running.title, Weight::Regular);
    let (line, title_width) = shortened(&title, room / 2.0);
    glyphs(surface, &title, &line, (width - MARGIN - number_width - 12.0 - title_width, HEADER_LINE), style);
    let author = typesetter.set(&running.author, Weight::Regular);
    let (line, _) = shortened(&author, room - title_width - 12.0);
    glyphs(surface, &author, &line, (MARGIN, HEADER_LINE), style);
    surface.end_tagged();
}

/// As much of a text as fits, and how wide that is: all of it stands on the first page.
fn shortened(text: &SetText, room: f32) -> (Line, f32) {
    let first = text.lines(room.max(1.0) / HEADER_SIZE).into_iter().next();
    let line = first.unwrap_or(Line { glyphs: 0..0, width: 0.0 });
    let width = line.width * HEADER_SIZE;
    (line, width)
}

/// Prints a large word from the lower left to the upper right, below everything else.
fn stamp(surface: &mut Surface<'_>, typesetter: &mut Typesetter, word: Option<&str>, (width, height): (f32, f32)) {
    let Some(word) = word else { return };
    let size = 150.0;
    let set = typesetter.set(word, Weight::Bold);
    let line = Line { glyphs: 0..set.glyphs.len(), width: set.width() };
    surface.start_tagged(artifact(ArtifactType::Watermark));
    surface.push_transform(&Transform::from_rotate_at(-45.0, width / 2.0, height / 2.0));
    let at = (width / 2.0 - set.width() * size / 2.0, height / 2.0 + size * 0.35);
    glyphs(surface, &set, &line, at, (size, WATERMARK));
    surface.pop();
    surface.end_tagged();
}
