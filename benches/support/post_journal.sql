-- One posting as one statement, written by hand: a journal and its two lines. The tables are those of the bench.
\set organisation random(1, 16)
\set account random(1, 60)
\set day random(20454, 20818)
\set amount random(1, 250000)
with posted as (
    insert into bench.journal (organisation_id, entry_day, description, total)
    values (:organisation, :day, 'Payment', :amount) returning id
)
insert into bench.journal_line (journal_id, line_number, account_id, entry_day, debit, credit)
select id, 1, :account, :day, :amount, 0 from posted
union all select id, 2, 61, :day, 0, :amount from posted;
