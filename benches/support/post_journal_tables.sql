-- What post_journal.sql writes to.
create schema bench;
create table bench.journal (
    id bigint generated always as identity primary key,
    organisation_id bigint not null,
    entry_day bigint not null,
    description text not null,
    total bigint not null
);
create table bench.journal_line (
    id bigint generated always as identity primary key,
    journal_id bigint not null references bench.journal (id),
    line_number bigint not null,
    account_id bigint not null,
    entry_day bigint not null,
    debit bigint not null check (debit >= 0),
    credit bigint not null check (credit >= 0)
);
create index journal_line_journal on bench.journal_line (journal_id, line_number);
create index journal_line_account on bench.journal_line (account_id, entry_day, journal_id);
