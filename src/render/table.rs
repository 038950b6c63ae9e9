//! Tables: columns as wide as they need to be, cells that wrap, figures to the right, the head again on every page.

use std::rc::Rc;

use krilla::tagging::Tag;

use super::page::{Element, Grey, Layout, Style};
use super::text::{Line, SetText, Weight, paragraphs};

/// The free space at both sides of a cell.
const PADDING: f32 = 4.0;
/// The free space above and below the text of a row.
const ROW_PADDING: f32 = 2.5;
const RULE: f32 = 0.5;
const RULE_GREY: Grey = 170;
const HEAD_GREY: Grey = 238;
/// The font sizes that are tried until the figures fit.
const SIZES: [f32; 4] = [9.0, 8.0, 7.0, 6.0];
/// The least width of a column of text.
const TEXT_WIDTH_MIN: f32 = 70.0;

/// Where the texts of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// At the left edge: texts.
    Left,
    /// At the right edge: figures.
    Right,
}

/// How wide a column is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Width {
    /// As its widest text.
    Content,
    /// A part of what is left, beside other columns of this kind.
    Share(f32),
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// What stands at its head; a table whose columns all have none has no head.
    pub(super) heading: String,
    /// Where its texts stand.
    pub(super) align: Align,
    /// How wide it is.
    pub(super) width: Width,
}

impl Column {
    /// A column of figures, or of short texts that keep to one line.
    pub(super) fn of_content(heading: &str, align: Align) -> Self {
        Self { heading: heading.to_owned(), align, width: Width::Content }
    }

    /// A column of texts that wrap.
    pub(super) fn of_texts(heading: &str) -> Self {
        Self { heading: heading.to_owned(), align: Align::Left, width: Width::Share(1.0) }
    }
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// A text for each column; what is missing is empty.
    pub(super) cells: Vec<String>,
    /// Regular, or bold for headings and totals.
    pub(super) weight: Weight,
    /// Whether a rule is drawn above it, as above a total.
    pub(super) has_rule: bool,
    /// Whether its first cell takes the whole width and stays with the row below it, as a heading does.
    pub(super) is_heading: bool,
}

impl Row {
    /// An ordinary row.
    pub(super) fn of(cells: Vec<String>) -> Self {
        Self { cells, weight: Weight::Regular, has_rule: false, is_heading: false }
    }

    /// A total: bold, below a rule.
    pub(super) fn total(cells: Vec<String>) -> Self {
        Self { cells, weight: Weight::Bold, has_rule: true, is_heading: false }
    }

    /// A heading of the rows below it.
    pub(super) fn heading(text: String) -> Self {
        Self { cells: vec![text], weight: Weight::Bold, has_rule: false, is_heading: true }
    }
}

/// A table.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Its columns.
    pub(super) columns: Vec<Column>,
    /// Its rows.
    pub(super) rows: Vec<Row>,
}

/// A column that knows where it is.
struct Place {
    left: f32,
    width: f32,
    align: Align,
}

/// A cell whose text is set.
struct SetCell {
    paragraphs: Vec<Rc<SetText>>,
}

impl SetCell {
    fn of(layout: &mut Layout, text: &str, weight: Weight) -> Self {
        Self { paragraphs: paragraphs(text).map(|paragraph| layout.set(paragraph, weight)).collect() }
    }

    fn width(&self) -> f32 {
        self.paragraphs.iter().map(|text| text.width()).fold(0.0, f32::max)
    }

    fn lines(&self, width: f32) -> Vec<(Rc<SetText>, Line)> {
        let lines = |text: &Rc<SetText>| {
            let text = Rc::clone(text);
            text.lines(width).into_iter().map(move |line| (Rc::clone(&text), line)).collect::<Vec<_>>()
        };
        self.paragraphs.iter().flat_map(lines).collect()
    }
}

/// The height of a row with this many lines.
fn row_height(lines: usize, leading: f32) -> f32 {
    let lines = u16::try_from(lines).map_or(f32::MAX, f32::from);
    lines * leading + 2.0 * ROW_PADDING
}

impl Table {
    /// Prints the table between two edges.
    pub(super) fn print(&self, layout: &mut Layout, left: f32, width: f32) -> Element {
        let head: Vec<SetCell> =
            self.columns.iter().map(|column| SetCell::of(layout, &column.heading, Weight::Bold)).collect();
        let rows: Vec<Vec<SetCell>> = self.rows.iter().map(|row| self.set_row(layout, row)).collect();
        let (size, places) = self.places(&head, &rows, left, width);
        let mut printer = Printer { layout, places, size, head: RowLines::default() };
        let mut parts = Vec::new();
        if self.columns.iter().any(|column| !column.heading.is_empty()) {
            printer.head = printer.lines(&head);
            // A head stands with the first line of a row below it.
            let height = printer.height(&printer.head) + row_height(1, printer.leading());
            printer.layout.need(height);
            parts.push(Element::group(Tag::THead, vec![printer.print_head()]));
        }
        let mut body = Vec::new();
        let lines = self.rows.iter().zip(&rows);
        let lines: Vec<RowLines> = lines.map(|(row, cells)| printer.row_lines(row, cells)).collect();
        let rooms = self.rooms(&printer, &lines);
        for ((row, lines), room) in self.rows.iter().zip(&lines).zip(rooms) {
            body.push(printer.print_row(row, lines, room));
        }
        if parts.is_empty() {
            return Element::group(Tag::Table, body);
        }
        parts.push(Element::group(Tag::TBody, body));
        Element::group(Tag::Table, parts)
    }

    /// The heights that the rows take with those that stay with them: no heading is the last of a page, and no total the first.
    fn rooms(&self, printer: &Printer<'_>, lines: &[RowLines]) -> Vec<f32> {
        let mut rooms = Vec::new();
        let (mut below, mut is_total) = (0.0, false);
        for (row, lines) in self.rows.iter().zip(lines).rev() {
            let height = printer.height(lines);
            below = if row.is_heading || is_total { below + height } else { height };
            is_total = row.has_rule;
            rooms.push(below);
        }
        rooms.reverse();
        rooms
    }

    /// A table without columns that have no text in any row, so that it has none too many.
    pub(super) fn without_empty_columns(mut self) -> Self {
        let is_used = |at: usize| self.rows.iter().any(|row| row.cells.get(at).is_some_and(|cell| !cell.is_empty()));
        let used: Vec<bool> = (0..self.columns.len()).map(is_used).collect();
        fn keep<T>(values: &mut Vec<T>, used: &[bool]) {
            let mut used = used.iter();
            values.retain(|_| used.next().is_none_or(|used| *used));
        }
        keep(&mut self.columns, &used);
        self.rows.iter_mut().for_each(|row| keep(&mut row.cells, &used));
        self
    }

    fn set_row(&self, layout: &mut Layout, row: &Row) -> Vec<SetCell> {
        let cells = row.cells.iter().map(String::as_str).chain(std::iter::repeat(""));
        cells.take(self.columns.len()).map(|cell| SetCell::of(layout, cell, row.weight)).collect()
    }

    /// The widths that the columns need, in em; of a column of texts 0.
    fn needs(&self, head: &[SetCell], rows: &[Vec<SetCell>]) -> Vec<f32> {
        let mut needs: Vec<f32> = head.iter().map(SetCell::width).collect();
        for (_, cells) in self.rows.iter().zip(rows).filter(|(row, _)| !row.is_heading) {
            for (need, cell) in needs.iter_mut().zip(cells) {
                *need = need.max(cell.width());
            }
        }
        let of_content = |(need, column): (f32, &Column)| if column.width == Width::Content { need } else { 0.0 };
        needs.into_iter().zip(&self.columns).map(of_content).collect()
    }

    /// The largest font size at which the figures fit, and where the columns stand.
    fn places(&self, head: &[SetCell], rows: &[Vec<SetCell>], left: f32, width: f32) -> (f32, Vec<Place>) {
        let needs = self.needs(head, rows);
        let shares: f32 = self.columns.iter().map(|column| share(column.width)).sum();
        let texts = self.columns.iter().filter(|column| share(column.width) > 0.0).count();
        // However many columns of texts there are, they leave half of the width to the others.
        let least = (u16::try_from(texts).map_or(0.0, f32::from) * TEXT_WIDTH_MIN).min(width / 2.0);
        let of_content = |size: f32| -> Vec<f32> {
            let columns = self.columns.iter().zip(&needs).filter(|(column, _)| column.width == Width::Content);
            columns.map(|(_, need)| content_width(*need, size)).collect()
        };
        let fits = |size: &f32| of_content(*size).iter().sum::<f32>() + least <= width;
        let size = SIZES.into_iter().find(fits).unwrap_or(6.0);
        // Where nothing helps, the widest columns become narrower, and their cells wrap.
        let widest = widest_fitting(of_content(size), width - least);
        let rest = width - of_content(size).into_iter().map(|one| one.min(widest)).sum::<f32>();
        let mut at = left;
        let mut places = Vec::new();
        for (column, need) in self.columns.iter().zip(&needs) {
            let width = match column.width {
                Width::Content => content_width(*need, size).min(widest),
                Width::Share(share) => rest * share / shares,
            };
            places.push(Place { left: at, width, align: column.align });
            at += width;
        }
        (size, places)
    }
}

/// The width of a column that needs so many em.
fn content_width(need: f32, size: f32) -> f32 {
    need * size + 2.0 * PADDING + 0.1
}

/// The width that no column may exceed so that all of them take no more than a room; as good as none where they do not.
fn widest_fitting(mut widths: Vec<f32>, room: f32) -> f32 {
    widths.sort_by(f32::total_cmp);
    let (mut room, mut count) = (room.max(0.0), widths.len());
    for width in widths {
        let equal = room / u16::try_from(count).map_or(1.0, f32::from);
        if width > equal {
            return equal;
        }
        room -= width;
        count -= 1;
    }
    f32::MAX
}

fn share(width: Width) -> f32 {
    match width {
        Width::Content => 0.0,
        Width::Share(share) => share,
    }
}

/// The least widths at which the figures of a table keep to one line, with letters of this size.
pub(super) fn widths(layout: &mut Layout, table: &Table, size: f32) -> Vec<f32> {
    let head: Vec<SetCell> =
        table.columns.iter().map(|column| SetCell::of(layout, &column.heading, Weight::Bold)).collect();
    let rows: Vec<Vec<SetCell>> = table.rows.iter().map(|row| table.set_row(layout, row)).collect();
    let needs = table.needs(&head, &rows);
    let columns = table.columns.iter().zip(needs);
    let widths = columns.map(|(column, need)| match column.width {
        Width::Content => content_width(need, size),
        Width::Share(_) => TEXT_WIDTH_MIN,
    });
    widths.collect()
}

/// The lines of each cell of a row.
#[derive(Default)]
struct RowLines {
    cells: Vec<Vec<(Rc<SetText>, Line)>>,
}

impl RowLines {
    fn count(&self) -> usize {
        self.cells.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// A line of a text with the place of its top left corner.
type PlacedLine = (Rc<SetText>, Line, (f32, f32));

/// Prints rows one below the other.
struct Printer<'a> {
    layout: &'a mut Layout,
    places: Vec<Place>,
    size: f32,
    /// What is printed again at the top of every page; without cells where the table has no head.
    head: RowLines,
}

impl Printer<'_> {
    fn style(&self, weight: Weight) -> Style {
        Style { weight, ..Style::regular(self.size) }
    }

    fn leading(&self) -> f32 {
        Style::regular(self.size).leading()
    }

    fn left(&self) -> f32 {
        self.places.first().map_or(0.0, |place| place.left)
    }

    fn width(&self) -> f32 {
        self.places.iter().map(|place| place.width).sum()
    }

    fn height(&self, row: &RowLines) -> f32 {
        row_height(row.count(), self.leading())
    }

    /// Breaks the cells of a row into lines.
    fn lines(&self, cells: &[SetCell]) -> RowLines {
        let lines = |(cell, place): (&SetCell, &Place)| self.lines_within(cell, place.width);
        RowLines { cells: cells.iter().zip(&self.places).map(lines).collect() }
    }

    /// The same of a row, of which a heading has one cell over the whole width.
    fn row_lines(&self, row: &Row, cells: &[SetCell]) -> RowLines {
        if !row.is_heading {
            return self.lines(cells);
        }
        let first = cells.first().map(|cell| self.lines_within(cell, self.width()));
        let others = cells.iter().skip(1).map(|_| Vec::new());
        RowLines { cells: first.into_iter().chain(others).collect() }
    }

    fn lines_within(&self, cell: &SetCell, width: f32) -> Vec<(Rc<SetText>, Line)> {
        // The widths were summed in another order: a hundredth of a point is rounding.
        cell.lines((width - 2.0 * PADDING + 0.01) / self.size)
    }

    /// Prints the head as a part of the document.
    fn print_head(&mut self) -> Element {
        let head = std::mem::take(&mut self.head);
        self.head_bar(&head);
        let parts = self.print_cells(&head, 0..head.count(), Weight::Bold);
        self.layout.y += self.height(&head);
        self.head = head;
        let cells = parts.into_iter().map(|parts| Element::head_cell(vec![Element::paragraph(parts)]));
        Element::group(Tag::TR, cells.collect())
    }

    /// Prints the head once more, at the top of a page.
    fn repeat_head(&mut self) {
        let head = std::mem::take(&mut self.head);
        if !head.cells.is_empty() {
            self.head_bar(&head);
            for (text, line, at) in self.placed(&head, 0..head.count()).into_iter().flatten() {
                self.layout.repeat(&text, &line, at, self.style(Weight::Bold));
            }
            self.layout.y += self.height(&head);
        }
        self.head = head;
    }

    fn head_bar(&mut self, head: &RowLines) {
        let area = (self.left(), self.layout.y, self.width(), self.height(head));
        self.layout.bar(area, HEAD_GREY);
    }

    /// Prints a row: on one page when it fits on a page, and line by line when it does not. With those that stay with it, it
    /// takes so much room.
    fn print_row(&mut self, row: &Row, lines: &RowLines, with_others: f32) -> Element {
        let head_height = if self.head.cells.is_empty() { 0.0 } else { self.height(&self.head) };
        let height = self.height(lines);
        let is_kept_whole = height <= self.layout.height() - head_height;
        // A row that goes over pages begins where its first line fits.
        let room = if is_kept_whole { height } else { row_height(1, self.leading()) };
        let room = if with_others <= self.layout.height() - head_height { with_others } else { room };
        if self.layout.need(room) {
            self.repeat_head();
        }
        let rule = (self.left(), self.layout.y, self.width(), RULE);
        self.layout.bar(rule, if row.has_rule { 0 } else { RULE_GREY });
        let mut cells: Vec<Vec<Element>> = lines.cells.iter().map(|_| Vec::new()).collect();
        let mut done = 0;
        while done < lines.count() {
            let taken = if is_kept_whole { lines.count() } else { self.lines_that_fit(lines.count() - done) };
            for (cell, parts) in cells.iter_mut().zip(self.print_cells(lines, done..done + taken, row.weight)) {
                cell.extend(parts);
            }
            self.layout.y += row_height(taken, self.leading());
            done += taken;
            if done < lines.count() {
                self.layout.next_page();
                self.repeat_head();
            }
        }
        let cells = cells.into_iter().map(|parts| Element::group(Tag::TD, vec![Element::paragraph(parts)]));
        Element::group(Tag::TR, cells.collect())
    }

    /// How many of these lines fit on the page, at least one.
    fn lines_that_fit(&self, count: usize) -> usize {
        let room = self.layout.bottom() - self.layout.y;
        let fitting = (1..=count).take_while(|lines| row_height(*lines, self.leading()) <= room).last();
        fitting.unwrap_or(1)
    }

    fn print_cells(&mut self, row: &RowLines, lines: std::ops::Range<usize>, weight: Weight) -> Vec<Vec<Element>> {
        let style = self.style(weight);
        let placed = self.placed(row, lines);
        let mut print = |(text, line, at): PlacedLine| self.layout.print(&text, &line, at, style);
        placed.into_iter().map(|cell| cell.into_iter().map(&mut print).collect()).collect()
    }

    /// Some lines of a row, by cell.
    fn placed(&self, row: &RowLines, lines: std::ops::Range<usize>) -> Vec<Vec<PlacedLine>> {
        let top = self.layout.y + ROW_PADDING;
        let leading = self.leading();
        let cells = row.cells.iter().zip(&self.places).map(|(cell, place)| {
            let mut y = top - leading;
            let lines = cell.iter().skip(lines.start).take(lines.len()).filter(|(text, _)| !text.text.is_empty());
            let place = |(text, line): &(Rc<SetText>, Line)| {
                y += leading;
                let x = match place.align {
                    Align::Left => place.left + PADDING,
                    Align::Right => place.left + place.width - PADDING - line.width * self.size,
                };
                (Rc::clone(text), line.clone(), (x, y))
            };
            lines.map(place).collect()
        });
        cells.collect()
    }
}

#[cfg(test)]
mod tests;
