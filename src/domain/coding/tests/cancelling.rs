//! Cancelling, and telling how far it is.

use super::labelled::businesses;
use super::*;

/// Every business in one batch, a few times over.
fn long_batch(times: usize) -> Batch<'static> {
    let all = businesses();
    let mut long = all[0].batch.clone();
    for _ in 0..times {
        for business in &all {
            long.transactions.extend(business.batch.transactions.iter().cloned());
        }
    }
    let items = all.iter().flat_map(|business| business.batch.invoices.iter().flatten().cloned());
    long.invoices = Some(items.map(|item| Invoice { account: None, ..item }).collect());
    long
}

#[test]
fn a_run_stops_at_the_question_that_is_answered_with_cancelled() {
    let long = long_batch(1);
    let (_, questions_of_run) = questions(&long);
    for at in (1..=questions_of_run)
        .step_by(usize::try_from(questions_of_run / 6).expect("a step").max(1))
        .chain([questions_of_run])
    {
        let control = Counted { cancels_at: Some(at), ..Counted::default() };
        assert_eq!(run(&long, &control), Err(Stopped), "cancelled at question {at} of {questions_of_run}");
        assert_eq!(control.questions.get(), at, "it went on after it was cancelled");
    }
    let after = Counted { cancels_at: Some(questions_of_run + 1), ..Counted::default() };
    assert!(run(&long, &after).is_ok());
}

#[test]
fn progress_never_falls_and_ends_at_the_number_of_rows() {
    for batch in [long_batch(1), batch(vec![line("2025-05-01", "x", "1")])] {
        let control = Counted::default();
        run(&batch, &control).expect("nobody cancels");
        let reported = control.progress.into_inner();
        let rows = u64::try_from(batch.transactions.len()).expect("a count");
        assert_eq!(reported.last(), Some(&rows));
        assert!(reported.windows(2).all(|pair| pair[0] <= pair[1]), "{reported:?}");
    }
}

#[test]
fn it_asks_as_often_as_rows_need() {
    // Every stage goes over the rows; each has to ask while it does.
    let long = long_batch(3);
    let rows = u64::try_from(long.transactions.len()).expect("a count");
    let (_, with_invoices) = questions(&long);
    let (_, without) = questions(&Batch { invoices: None, ..long.clone() });
    // Words, meaning, answers.
    assert!(without >= 3 * (rows / 128), "{without} questions for {rows} rows");
    assert!(with_invoices >= without + rows / 256, "{with_invoices} questions with invoices, {without} without");
}
