//! Whatever stands in a table, it stands between the margins and nothing is left out.

use proptest::prelude::*;

use super::*;
use crate::domain::date::Date;
use crate::render::page::{Orientation, PrintedText, Running};

fn layout() -> Layout {
    let running = Running { title: "Title".to_owned(), author: "Author".to_owned(), date: Date::MIN, stamp: None };
    Layout::new(running, Orientation::Portrait).unwrap()
}

/// Prints a table below some free space; what was printed, and the pages.
fn printed(table: &Table, free: f32, left: f32, width: f32) -> (Vec<PrintedText>, usize) {
    let mut layout = layout();
    layout.y += free;
    table.print(&mut layout, left, width);
    (layout.printed_texts(), layout.page_count())
}

fn assert_inside(texts: &[PrintedText], left: f32, width: f32) {
    let (top, bottom) = (60.0, layout().bottom());
    for text in texts {
        let is_inside = text.left >= left && text.right <= left + width + 0.1;
        let is_one = text.text.trim().chars().count() <= 1;
        // A character alone may be wider than its column.
        assert!(is_inside || (is_one && text.left >= left - 6.0), "{text:?}");
        assert!(text.base_line > top && text.base_line <= bottom, "{text:?}");
    }
}

#[test]
fn columns_that_share_the_width_have_places() {
    let columns = vec![Column::of_texts("One"), Column::of_texts("Two")];
    let table = Table { columns, rows: vec![Row::of(vec!["a".to_owned(), "b".to_owned()])] };
    let (texts, pages) = printed(&table, 0.0, 48.0, 400.0);
    let lefts: Vec<f32> = texts.iter().map(|text| text.left).collect();
    assert_eq!((lefts, pages), (vec![52.0, 252.0, 52.0, 252.0], 1));
}

#[test]
fn figures_end_at_one_edge_and_the_head_is_on_every_page() {
    let columns = vec![Column::of_texts("Name"), Column::of_content("Amount", Align::Right)];
    let row = |number: usize| Row::of(vec![format!("row {number}"), format!("{number}.00")]);
    let table = Table { columns, rows: (1..=200).map(row).collect() };
    let (texts, pages) = printed(&table, 600.0, 48.0, 499.0);
    assert!((4..8).contains(&pages), "{pages}");
    let figures = texts.iter().filter(|text| text.text.ends_with(".00"));
    assert!(figures.clone().all(|text| (text.right - (48.0 + 499.0 - PADDING)).abs() < 0.05));
    assert_eq!(figures.count(), 200);
    for name in ["Name", "Amount"] {
        let heads: Vec<usize> = texts.iter().filter(|text| text.text == name).map(|text| text.page).collect();
        assert_eq!(heads, (0..pages).collect::<Vec<_>>());
    }
    for page in 0..pages {
        let first = texts.iter().find(|text| text.page == page).unwrap();
        assert_eq!(first.text, "Name", "the head is the first of a page");
    }
}

#[test]
fn columns_of_texts_leave_room_to_the_others() {
    for (texts, marks) in [(8, 0), (7, 1), (5, 3), (1, 7)] {
        let columns = std::iter::repeat_n(Column::of_texts("A heading"), texts);
        let marks = std::iter::repeat_n(Column::of_content("Marks", Align::Left), marks);
        let columns: Vec<Column> = columns.chain(marks).collect();
        let rows = vec![Row::of(vec!["Words of a cell".to_owned(); columns.len()])];
        let (printed, _) = printed(&Table { columns, rows }, 0.0, 48.0, 250.0);
        assert_inside(&printed, 48.0, 250.0);
    }
}

#[test]
fn a_heading_stays_with_the_row_below_it_and_a_total_with_the_row_above() {
    let columns = vec![Column::of_content("Code", Align::Left), Column::of_texts("Name")];
    let row = |text: &str| Row::of(vec![text.to_owned(), "1.00".to_owned()]);
    let heading = "A heading that is wider than its column";
    let rows =
        vec![row("first"), Row::heading(heading.to_owned()), row("second"), Row::total(vec!["total".to_owned()])];
    let table = Table { columns, rows };
    for free in 550..680_u16 {
        let (texts, _) = printed(&table, f32::from(free), 48.0, 499.0);
        let find = |wanted: &str| texts.iter().find(|text| text.text == wanted).unwrap();
        assert_eq!(find(heading).page, find("second").page, "{free}");
        assert_eq!(find("second").page, find("total").page, "{free}");
        assert!(find("Code").right < 100.0);
    }
}

#[test]
fn a_row_that_fits_on_a_page_is_not_broken() {
    let table = Table {
        columns: vec![Column::of_texts("Text")],
        rows: (0..40).map(|_| Row::of(vec!["one\ntwo\nthree\nfour\nfive".to_owned()])).collect(),
    };
    let (texts, _) = printed(&table, 100.0, 48.0, 300.0);
    for rows in texts.iter().filter(|text| text.text != "Text").collect::<Vec<_>>().chunks(5) {
        assert!(rows.iter().all(|text| text.page == rows[0].page), "{rows:?}");
    }
}

fn any_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z0-9 ,.'/-]{0,40}",
        2 => "-?[0-9]{1,3}(,[0-9]{3}){0,3}\\.[0-9]{2}",
        1 => "[W]{0,300}",
        1 => "\\PC{0,60}",
        1 => "[a-z \n]{0,2000}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_text_stands_between_the_margins(
        kinds in prop::collection::vec(0..3_usize, 1..9),
        cells in prop::collection::vec(prop::collection::vec(any_cell(), 0..9), 0..30),
        free in 0.0..700.0_f32,
        width in 250.0..499.0_f32,
    ) {
        let column = |kind: &usize| match kind {
            0 => Column::of_texts("A heading of texts"),
            1 => Column::of_content("Figures", Align::Right),
            _ => Column::of_content("Marks", Align::Left),
        };
        let rows: Vec<Row> = cells.into_iter().map(Row::of).collect();
        let letters = |text: &str| text.chars().filter(|letter| letter.is_ascii_alphanumeric()).count();
        let given: usize = rows.iter().flat_map(|row| row.cells.iter().take(kinds.len())).map(|cell| letters(cell)).sum();
        let table = Table { columns: kinds.iter().map(column).collect(), rows };
        let (texts, pages) = printed(&table, free, 48.0, width);
        assert_inside(&texts, 48.0, width);
        let heads: usize = table.columns.iter().map(|column| letters(&column.heading)).sum();
        let shown: usize = texts.iter().map(|text| letters(&text.text)).sum();
        // The head stands on each page that has rows, of which the first page may be none.
        prop_assert!((1..=pages).any(|times| shown == given + heads * times), "{} {} {}", shown, given, heads);
    }
}
