//! Texts and amounts nobody should send, and somebody will.

use super::*;

/// Texts that break what was not thought through.
fn texts() -> Vec<String> {
    let short = [
        "\u{202e}DTL YNAPMOC\u{202c}",
        "שלום עולם חשבונית 1042",
        "دفع فاتورة ١٢٣٤",
        "支払い 株式会社東京 ５００",
        "🎉🎉🎉",
        "🏦💸➡️💰",
        "👩‍👩‍👧‍👦 nursery",
        "Z\u{335}\u{321}a\u{344}l\u{35c}g\u{489}o\u{300}\u{301} r\u{36f}ent",
        "T\u{200b}E\u{200b}S\u{200b}C\u{200b}O",
        "\u{feff}AMAZON\u{2060}",
        "\u{200d}",
        "\u{301}",
        "...---...",
        "' ' ' `",
        "&",
        "& & & &",
        " ",
        "\u{a0}",
        "\t\r\n",
        "ﬁﬂ ǅ ŉ ß ẞ İ ı",
        "ΑΒΓ Ω ΐ",
        "ТЕСКО ЛТД",
        "HMRC ١٢٣٤٥٦٧٨٩٠K",
        "HMRC 1234567890é",
        "123P",
        "HMRC 123PÄ0000001",
        "INV",
        "INV INV INV",
        "INVOICE NO NO NO",
        "0",
        "00000000000000000000",
        "99999999999999999999999999999999999999999999",
        "1/2/3/4/5/6/7/8/9/0",
        "TO FROM TO FROM",
        "ON ON ON",
        "A",
        "É",
        "null",
        "\u{0}\u{1}\u{7f}",
        "\u{10ffff}\u{e000}",
        "%s%n{}{0}\\x00'; DROP TABLE",
        "ＡＭＡＺＯＮ　ＵＫ",
        "𝐓𝐞𝐬𝐜𝐨 𝕊𝕥𝕠𝕣𝕖𝕤",
        "ＩＮＶ－１０４２",
        "№ 1042 ½ ² ⅷ ൧൨",
        "REF 1234567890A00101A",
        "HMRC 1234567890A00101A",
        "HMRC 1234567890A",
        "HMRC 1234567890AAAAAA",
    ];
    let mut texts: Vec<String> = short.into_iter().map(str::to_owned).collect();
    for piece in
        ["A", "9", "é", "🎉", "INV ", "DIRECT DEBIT ", "1 ", "a1", "ш", "TRANSFER ", "Á ", "& ", "-", "HMRC ", "x y "]
    {
        texts.push(piece.chars().cycle().take(500).collect());
    }
    texts
}

#[test]
fn no_text_stops_the_engine_in_any_field() {
    let mut lines = Vec::new();
    for (place, text) in texts().into_iter().enumerate() {
        let cut = |most: usize| Cow::Owned(text.chars().take(most).collect::<String>());
        let amount = if place % 2 == 0 { "12.34" } else { "-12.34" };
        lines.push(line("2025-05-01", &text, amount));
        lines.push(Transaction { merchant: Some(cut(200)), ..line("2025-05-01", "x", amount) });
        lines.push(Transaction { reference: Some(cut(100)), ..line("2025-05-02", "x", amount) });
        lines.push(Transaction {
            merchant: Some(cut(200)),
            reference: Some(cut(100)),
            bank_account: Some(cut(100)),
            merchant_category_code: None,
            ..line("2025-05-02", &text, amount)
        });
    }
    for text in texts() {
        let mut one = batch(lines.clone());
        one.business_context = Cow::Owned(text.chars().cycle().take(2000).collect());
        one.transactions.truncate(40);
        code(&one);
    }
    let mut all = batch(lines);
    all.accounts.extend(texts().iter().enumerate().map(|(place, text)| {
        let name: String = text.chars().take(200).collect();
        account(&format!("T{place}"), &name, AccountType::ALL[place % 5])
    }));
    let invoices = texts().into_iter().enumerate().map(|(place, text)| {
        let cut = |most: usize| text.chars().take(most).collect::<String>();
        let mut item = invoice(InvoiceKind::ALL[place % 3], &cut(100), &cut(200), "2025-04-01", "12.34");
        item.reference = Some(Cow::Owned(cut(100)));
        item.currency = Some(Cow::Owned(cut(3)));
        item
    });
    all.invoices = Some(invoices.collect());
    let outcome = code(&all);
    for (row, source) in outcome.rows.iter().zip(&all.transactions) {
        let names_nothing = source.merchant.is_none()
            && source.reference.is_none()
            && super::super::text::fold(&source.description).is_empty();
        if names_nothing {
            assert!(row.settles.is_empty() && row.transfer_pair.is_none(), "{source:?}\n{row:?}");
        }
    }
}

#[test]
fn what_says_nothing_is_left_to_a_person() {
    let texts = ["🎉", "...", "\u{200d}", " ", "'", "\u{301}", "\u{202e}\u{202c}", "12345678", "01/02/2025"];
    let lines = texts.iter().flat_map(|text| [line("2025-05-01", text, "-10"), line("2025-05-01", text, "10")]);
    let all = batch(lines.collect());
    for (row, source) in code(&all).rows.iter().zip(&all.transactions) {
        assert_eq!(row.method, Method::Fallback, "{source:?}\n{row:?}");
        assert!(row.confidence <= 150, "{source:?}\n{row:?}");
    }
}

#[test]
fn amounts_at_the_edges_are_split_exactly() {
    let amounts = [
        "0",
        "0.001",
        "-0.001",
        "0.005",
        "-0.005",
        "0.01",
        "-0.01",
        "0.015",
        "0.02",
        "0.03",
        "1.005",
        "0.000000000001",
        "-0.000000000001",
        "999999999999999999.99",
        "-999999999999999999.99",
        "999999999999999999.999999999999",
        "-999999999999999999.999999999999",
        "500000000000000000",
    ];
    let words = ["Furniture sale", "Screwfix tools", "British Gas", "Tesco", "Zoom subscription", "Refund Amazon"];
    let mut lines: Vec<Transaction<'static>> = Vec::new();
    for text in words {
        lines.extend(amounts.iter().map(|amount| line("2025-05-01", text, amount)));
    }
    for rate in ["0", "0.0001", "5", "13.5", "17.5", "20", "99.999999999999", "100", "0.000000000001"] {
        let mut all = batch(lines.clone());
        all.vat_codes =
            Some(["ST", "RR", "NV"].into_iter().map(|code| super::vat::vat_code(code, "VAT", rate)).collect());
        let items = amounts.iter().filter(|amount| pounds(amount) > 0).enumerate().map(|(place, amount)| {
            invoice(
                InvoiceKind::ALL[place % 3],
                &format!("FS-{}", 1000 + place),
                "Furniture sale",
                "2025-05-01",
                amount,
            )
        });
        all.invoices = Some(items.collect());
        code(&all);
    }
}

#[test]
fn a_line_of_nothing_settles_and_moves_nothing() {
    let mut all = batch(vec![
        line_of("Current", "2025-05-01", "TRANSFER TO SAVINGS INV-1", "0"),
        line_of("Savings", "2025-05-01", "TRANSFER FROM CURRENT INV-1", "0"),
        line_of("Current", "2025-05-01", "ACME LTD INV-1", "0.001"),
        line_of("Current", "2025-05-01", "ACME LTD", "0.004"),
    ]);
    all.invoices = Some(vec![invoice(InvoiceKind::Invoice, "INV-1", "Acme Ltd", "2025-04-01", "0.001")]);
    for row in code(&all).rows.iter().take(2) {
        assert!(row.settles.is_empty() && row.transfer_pair.is_none(), "{row:?}");
    }
}

#[test]
fn days_at_the_ends_of_the_calendar_are_days() {
    let mut all = batch(Vec::new());
    for on in ["0001-01-01", "9999-12-31"] {
        all.transactions.push(line_of("Current", on, "TRANSFER TO SAVINGS", "-5"));
        all.transactions.push(line_of("Savings", on, "TRANSFER FROM CURRENT", "5"));
        all.transactions.push(line_of("Current", on, "ACME LTD INV-77", "10"));
    }
    let edges = ["0001-01-01", "9999-12-31"].iter().enumerate();
    all.invoices = Some(
        edges
            .map(|(place, on)| invoice(InvoiceKind::Invoice, &format!("INV-7{place}"), "Acme Ltd", on, "10"))
            .collect(),
    );
    code(&all);
}

#[test]
fn long_batches_of_one_character_lines_end() {
    let letters: Vec<char> = ('A'..='Z').chain('0'..='9').chain(['é', 'Ж', '🎉', '&', '.']).collect();
    let lines = (0..4000).map(|place| {
        let text: String =
            [letters[place % letters.len()], letters[place / letters.len() % letters.len()]].iter().collect();
        line_of("Barclays Current", "2025-05-01", &text, if place % 2 == 0 { "-1" } else { "1" })
    });
    let mut all = batch(lines.collect());
    let items = (0..1000).map(|place| {
        let name: String =
            [letters[place % letters.len()], letters[place / letters.len() % letters.len()]].iter().collect();
        invoice(InvoiceKind::ALL[place % 3], &name, &name, "2025-04-01", "1")
    });
    all.invoices = Some(items.collect());
    let (_, asked) = questions(&all);
    assert!(asked <= 2000, "{asked} questions");
}
