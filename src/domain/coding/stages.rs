//! The stages of a batch, in their order: what is settled, what is moved, what lines say, what equal payees say.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::batch::{AccountType, Batch, InvoiceKind};
use super::chart::Chart;
use super::chart_cache::ChartCache;
use super::confidence;
use super::context::{Business, has_phrase};
use super::decide::{Decider, Decision, Size};
use super::evidence::{Reader, is_money_back};
use super::hints::Hints;
use super::history::{self, History, Recall};
use super::knowledge::{ConceptId, Knowledge};
use super::line::{Line, Tags};
use super::line_vat::LineVat;
use super::outcome::{Alternative, Basis, CodedRow, Method, Outcome, Vat, Warning};
use super::person::is_person;
use super::ranking::{Ranking, RankingAccount, RankingLine, Usage};
use super::settlement::{Settlement, settle_in_context};
use super::statements::numbers_of;
use super::traits::Traits;
use super::transfer::{self, OwnAccounts, Transfer};
use super::vat::AllowedVat;
use super::vat_likelihood::VatLikelihood;
use super::wording::{Channel, Wording, begins_with_codes};
use crate::domain::control::{Control, Stopped, Unattended};
use crate::domain::parallel;

/// Rows between two questions whether the answer is still wanted.
const ROWS_PER_CHECK: usize = 128;

/// A payment that may settle either of two contacts' documents is never surer than this.
const MOST_FOR_ONE_OF_TWO: u16 = 450;

/// How a raw score becomes a confidence.
pub type Calibration = fn(Method, Basis, f32) -> u16;

/// From this chance on a VAT code adds no doubt; below it the doubt counts by this power. With both, what is said is right as often as
/// it says, of authors that neither rules nor layers had learned from (`docs/adr/0019-vat-codes-are-learned-too.md`).
const VAT_SURE_FROM: f32 = 0.9;
const VAT_DOUBT: f32 = 0.4;

/// By what lines are the same as far as their own words decide.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Known<'w> {
    padded: &'w str,
    payee: &'w str,
    channel: Channel,
    category: Option<ConceptId>,
    money_in: bool,
    /// Whether it is from somebody whom no line of the batch pays, and does not say that it comes back.
    only_pays: bool,
    size: Size,
    home: Option<usize>,
}

/// Runs every stage.
pub fn run(batch: &Batch<'_>, calibration: Calibration, control: &dyn Control) -> Result<Outcome, Stopped> {
    let knowledge = Knowledge::get();
    let business = Business::read(batch, knowledge);
    let chart = ChartCache::get().chart(&batch.accounts, knowledge);
    let (lines, tags) = Line::read_all(batch);
    if control.is_cancelled() {
        return Err(Stopped);
    }
    let sales = business.sales().or_else(|| knowledge.id("sales_services"));
    let hints = Hints::read(&batch.business_context, &batch.accounts, &lines, &knowledge.words);
    let decider = Decider::new(
        knowledge,
        &chart,
        Reader::new(knowledge, &business, &hints, &chart),
        &hints,
        (sales, business.purchases()),
    )
    .of_accounts(&tags);
    let own = OwnAccounts::resolve(batch);
    let allowed = AllowedVat::read(batch.vat_codes.as_deref());
    let stage = Stage {
        calibration,
        own: &own,
        batch,
        knowledge,
        line_vat: LineVat { batch, knowledge, business: &business, hints: &hints, chart: &chart, sales },
        chart: &chart,
        allowed: &allowed,
        words: if batch.is_purchases_alone() { Basis::Purchases } else { Basis::Line },
    };

    let invoices = batch.invoices.as_deref().unwrap_or_default();
    let settled = settle_in_context(&lines, invoices, &batch.business_context, control)?;

    let mut moved = transfer::pair(&lines, &batch.accounts, &own, |row| settled.get(row).is_some_and(Option::is_some));

    let wordings = wordings(&lines, &tags, &batch.business_context, control)?;
    // What the caller's past says, or the caller's own account that a line is from, is more than likeness.
    let is_ranked = batch.history.is_empty() && !batch.is_purchases_alone() && !decider.has_parts();
    let ranking = is_ranked.then(|| Ranking::read(&batch.business_context, &chart, knowledge)).flatten();
    let ranking = ranking.map(|ranking| (ranking, Traits::of_all(&lines, &wordings)));
    let mut decided = decide_all(&lines, &wordings, (&decider, ranking.as_ref()), business.asset_from_pence, control)?;
    let mut history = History::read(batch, &chart, &decider, &allowed, control)?;
    let mut recalls: Vec<Option<Recall>> = Vec::new();
    if let Some(history) = &mut history {
        history.count_payees(lines.iter().zip(&wordings));
        let history = &*history;
        let asked: Vec<((&Line<'_>, &Wording), &Decision)> = lines.iter().zip(&wordings).zip(&decided).collect();
        recalls = parallel::map(
            &asked,
            control,
            |_| (),
            |((line, wording), decision)| history.recall(line, wording, decision),
        )?;
        for (decision, recall) in decided.iter_mut().zip(&recalls) {
            if let Some(recall) = recall {
                *decision = recall.decision.clone();
            }
        }
    }
    let is_seen =
        |row: usize| recalls.get(row).is_some_and(|recall| recall.as_ref().is_some_and(|recall| recall.seen.is_some()));
    agree(&lines, &wordings, &mut decided, &is_seen, knowledge);
    let is_claimed =
        |row: usize| settled.get(row).is_some_and(Option::is_some) || moved.get(row).is_some_and(Option::is_some);
    share_prices(&lines, &wordings, &mut decided, &|row| is_seen(row) || is_claimed(row), &chart);
    refunds(&lines, &wordings, &mut decided, knowledge, &is_seen);
    // A likeness too weak to decide anything is no more than a place to look.
    for decision in decided.iter_mut().filter(|decision| decision.is_weak) {
        if matches!(decision.method, Method::Semantic | Method::AccountName | Method::Merchant) {
            decision.method = Method::Fallback;
        }
    }
    // What the batch decided after all does not rest on the past.
    for (recall, decision) in recalls.iter_mut().zip(&decided) {
        if recall.as_ref().is_some_and(|recall| recall.decision.method != decision.method) {
            *recall = None;
        }
    }

    let codes = vat_codes(&stage, (&lines, &wordings, &is_claimed), (&decided, &recalls), ranking.as_ref(), control)?;
    let mut not_allowed = false;
    let mut rows: Vec<CodedRow> = Vec::with_capacity(lines.len());
    let claims = settled.into_iter().zip(moved.drain(..));
    let mut recalls = recalls.into_iter();
    let decided = decided.iter().zip(codes);
    for (at, ((line, (decision, code)), (settlement, transfer))) in lines.iter().zip(decided).zip(claims).enumerate() {
        let recall = recalls.next().flatten();
        if at % ROWS_PER_CHECK == 0 && control.is_cancelled() {
            return Err(Stopped);
        }
        rows.push(match (settlement, transfer) {
            (Some(settlement), _) => stage.settled_row(decision, settlement, &mut not_allowed),
            (None, Some(transfer)) => stage.moved_row(transfer, &mut not_allowed),
            (None, None) => stage.row(line, (decision, code), recall.as_ref(), &mut not_allowed),
        });
    }
    let history = history.as_ref().map(History::summary);
    let mut warnings = stage.warnings(&lines, &rows, not_allowed);
    if history.is_some_and(|history| history.unknown_accounts > 0) {
        warnings.push(Warning::HistoryAccountUnknown);
    }
    if history.is_some_and(|history| history.unknown_vat_codes > 0) {
        warnings.push(Warning::HistoryVatCodeUnknown);
    }
    control.progress(u64::try_from(lines.len()).unwrap_or(u64::MAX));
    Ok(Outcome { rows, warnings, history })
}

/// The VAT code of a line, before the caller's own codes are asked for, and the chance that it is right where that was learned.
type LearnedVat = (Vat, Option<f32>);

/// The VAT code of each line as it is decided; what is settled or moved has none. Beside a past, and without a context, it is what the past
/// or the rules say.
fn vat_codes(
    stage: &Stage<'_>,
    (lines, wordings, is_claimed): (&[Line<'_>], &[Wording], &(dyn Fn(usize) -> bool + Sync)),
    (decided, recalls): (&[Decision], &[Option<Recall>]),
    ranking: Option<&(Ranking<'_>, Vec<Traits>)>,
    control: &dyn Control,
) -> Result<Vec<LearnedVat>, Stopped> {
    let ranking = ranking.filter(|_| stage.line_vat.business.is_vat_registered);
    let learned = ranking.and_then(|(ranking, traits)| {
        let context = stage.knowledge.meaning.vector(&stage.batch.business_context);
        Some((ranking, traits, VatLikelihood::of(&context, &stage.chart.kinds, &stage.chart.vectors)?))
    });
    let asked: Vec<(usize, (&Line<'_>, &Decision))> = lines.iter().zip(decided).enumerate().collect();
    parallel::map(
        &asked,
        control,
        |_| (),
        |(row, (line, decision))| {
            if is_claimed(*row) {
                return (Vat::NoVat, None);
            }
            let recalled = recalls.get(*row).and_then(|recall| recall.as_ref()?.vat);
            let by_rules = recalled.unwrap_or_else(|| stage.line_vat.code(line, decision));
            let learned = learned.as_ref().filter(|_| stage.line_vat.is_usual(line, decision));
            let learned = learned.and_then(|(ranking, traits, likelihood)| {
                let (line, around) = ranking.meanings(wordings.get(*row)?);
                let known = (*traits.get(*row)?, decision.clues.as_slice());
                likelihood.code(decision.account, (&line, &around), known, by_rules)
            });
            learned.map_or((by_rules, None), |(code, chance)| (code, Some(chance)))
        },
    )
}

/// What the words of each line decide; lines that are the same as far as that goes are decided once. What is bought for
/// `asset_from_pence` or more is an asset.
fn decide_all(
    lines: &[Line<'_>],
    wordings: &[Wording],
    (decider, ranking): (&Decider<'_>, Option<&(Ranking<'_>, Vec<Traits>)>),
    asset_from_pence: i128,
    control: &dyn Control,
) -> Result<Vec<Decision>, Stopped> {
    let paid: HashSet<&str> = lines
        .iter()
        .zip(wordings)
        .filter(|(line, _)| line.amount < 0)
        .flat_map(|(_, wording)| beginnings(&wording.payee).chain([wording.payee.as_str()]))
        .collect();
    let is_paid = |payee: &str| paid.contains(payee) || beginnings(payee).any(|part| paid.contains(part));
    let mut distinct: Vec<(&Wording, Known<'_>)> = Vec::new();
    let mut places: HashMap<Known<'_>, usize> = HashMap::new();
    let mut place_of: Vec<usize> = Vec::with_capacity(lines.len());
    for (at, (line, wording)) in lines.iter().zip(wordings).enumerate() {
        if at % ROWS_PER_CHECK == 0 && control.is_cancelled() {
            return Err(Stopped);
        }
        let size = Size {
            is_large: line.pence <= -asset_from_pence,
            digits: history::size_of(line.pence),
            named_pence: decider.hints.instructions.named_amount(line.pence),
        };
        let known = Known {
            padded: &wording.padded,
            payee: &wording.payee,
            channel: wording.channel,
            category: wording.category,
            money_in: line.amount > 0,
            only_pays: line.amount > 0 && !comes_back(wording) && !is_paid(&wording.payee),
            size,
            home: line.tag,
        };
        place_of.push(*places.entry(known).or_insert_with_key(|known| {
            distinct.push((wording, known.clone()));
            distinct.len() - 1
        }));
    }
    let rows_of = |done: usize| lines.len() * done / distinct.len().max(1);
    let progress = |done: usize| control.progress(u64::try_from(rows_of(done)).unwrap_or(u64::MAX));
    // A line without words is not even a usual one.
    let is_mute = |wording: &Wording| wording.text().is_empty() && wording.category.is_none();
    let decisions = parallel::map(&distinct, control, progress, |(wording, known)| {
        if is_mute(wording) {
            decider.unknown(known.money_in)
        } else {
            decider.decide(wording, (known.money_in, known.only_pays), known.size, known.home)
        }
    })?;
    let decided = place_of.iter().filter_map(|place| decisions.get(*place));
    let Some((ranking, traits)) = ranking else { return Ok(decided.cloned().collect()) };
    let digits = place_of.iter().filter_map(|place| distinct.get(*place).map(|(_, known)| known.size.digits));
    let usage = Usage::of(decider.chart.kinds.len(), decided.zip(digits));
    let mut asked: Vec<(usize, Traits)> = Vec::new();
    let mut places: HashMap<(usize, Traits), usize> = HashMap::new();
    let asked_of: Vec<usize> = place_of
        .into_iter()
        .zip(traits.iter().copied())
        .map(|key| {
            *places.entry(key).or_insert_with(|| {
                asked.push(key);
                asked.len() - 1
            })
        })
        .collect();
    let ranked = parallel::map(
        &asked,
        control,
        |_| (),
        |(place, traits)| {
            let ((wording, known), decision) = (distinct.get(*place)?, decisions.get(*place)?);
            // An amount that the context speaks of is for what it says.
            if is_mute(wording) || known.size.named_pence.is_some() {
                return Some(decision.clone());
            }
            Some(ranking.rank(decider, (wording, *traits, known.size.digits), &usage, decision.clone()))
        },
    )?;
    Ok(asked_of.into_iter().filter_map(|at| ranked.get(at).cloned().flatten()).collect())
}

/// How a chart was understood, for extending the knowledge: each account with the concepts it fits best.
pub fn trace_chart(batch: &Batch<'_>) -> String {
    let knowledge = Knowledge::get();
    let chart = Chart::read(&batch.accounts, knowledge);
    let mut text = String::new();
    for (at, account) in batch.accounts.iter().enumerate() {
        let mut fits: Vec<(f32, bool, &str)> = knowledge
            .concepts()
            .filter_map(|(id, concept)| {
                let fits = chart.fits(id);
                let score = fits.iter().find(|fit| fit.account == at)?.score;
                Some((score, fits.first().is_some_and(|fit| fit.account == at), concept.name))
            })
            .collect();
        fits.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(b.2)));
        let fits: Vec<String> = fits
            .iter()
            .take(8)
            .map(|(score, first, name)| format!("{name}{} {score:.2}", if *first { "*" } else { "" }))
            .collect();
        text.push_str(&format!("      {:9} {}: {}\n", account.kind.as_str(), account.name, fits.join(", ")));
    }
    text
}

/// How the words of a line were weighed, for extending the knowledge: what is left of it without the bank's words,
/// the concepts it may be about with their best accounts, and the accounts it names itself.
pub fn trace(batch: &Batch<'_>, row: usize) -> String {
    with_decider(batch, |business, decider, lines, wordings| {
        trace_line(batch, business, decider, lines.get(row), wordings.get(row))
    })
}

fn trace_line(
    batch: &Batch<'_>,
    business: &Business<'_>,
    decider: &Decider<'_>,
    line: Option<&Line<'_>>,
    wording: Option<&Wording>,
) -> String {
    let (knowledge, chart) = (decider.knowledge, decider.chart);
    let (Some(line), Some(wording)) = (line, wording) else { return String::new() };
    let vector = knowledge.meaning.vector(wording.text());
    let name = |account: usize| batch.accounts.get(account).map_or("", |account| account.name.as_ref());
    let sectors: Vec<String> =
        business.sectors.iter().map(|(sector, weight)| format!("{} {weight:.2}", sector.name)).collect();
    let mut text = format!("      trades: {}; words:{}\n", sectors.join(", "), wording.padded);
    let clues = decider.reader.clues(wording, &vector, line.amount > 0, history::size_of(line.pence));
    for clue in clues.iter().take(4) {
        let fits: Vec<String> =
            chart.fits(clue.concept).iter().map(|fit| format!("{} {:.2}", name(fit.account), fit.score)).collect();
        text.push_str(&format!(
            "      {:.2} {}: {}\n",
            clue.score,
            knowledge.concept(clue.concept).name,
            fits.join(" | ")
        ));
    }
    let phrases = decider.phrases(wording, line.amount > 0);
    let mut named: Vec<(usize, f32)> =
        decider.named_accounts(wording, &phrases, &vector, &clues, line.amount > 0).into_iter().collect();
    named.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let named: Vec<String> =
        named.iter().take(4).map(|(account, score)| format!("{} {score:.2}", name(*account))).collect();
    text.push_str(&format!("      by name: {}\n", named.join(" | ")));
    text
}

/// What the ranking of lines in doubt is fitted to: what is compared of each account, and of each line. None without a context.
pub fn ranking_inputs(batch: &Batch<'_>) -> Option<(Vec<RankingAccount>, Vec<RankingLine>)> {
    with_decider(batch, |_, decider, lines, wordings| {
        let ranking = Ranking::read(&batch.business_context, decider.chart, decider.knowledge)?;
        let traits = Traits::of_all(lines, wordings);
        let of_line = |(line, (wording, traits)): (&Line<'_>, (&Wording, Traits))| {
            let clues = decider.clues(wording, line.amount > 0, history::size_of(line.pence));
            ranking.line(wording, traits, &clues)
        };
        let lines = lines.iter().zip(wordings.iter().zip(traits)).map(of_line);
        Some((ranking.accounts(), lines.collect()))
    })
}

/// Asks something of the decider of a batch that is not coded.
fn with_decider<T: Default>(
    batch: &Batch<'_>,
    ask: impl FnOnce(&Business<'_>, &Decider<'_>, &[Line<'_>], &[Wording]) -> T,
) -> T {
    let knowledge = Knowledge::get();
    let business = Business::read(batch, knowledge);
    let chart = Chart::read(&batch.accounts, knowledge);
    let (lines, tags) = Line::read_all(batch);
    let hints = Hints::read(&batch.business_context, &batch.accounts, &lines, &knowledge.words);
    let sales = business.sales().or_else(|| knowledge.id("sales_services"));
    let reader = Reader::new(knowledge, &business, &hints, &chart);
    let decider = Decider::new(knowledge, &chart, reader, &hints, (sales, business.purchases())).of_accounts(&tags);
    let Ok(wordings) = wordings(&lines, &tags, &batch.business_context, &Unattended) else { return T::default() };
    ask(&business, &decider, &lines, &wordings)
}

fn wordings(
    lines: &[Line<'_>],
    tags: &Tags<'_>,
    context: &str,
    control: &dyn Control,
) -> Result<Vec<Wording>, Stopped> {
    let mut by_tag: BTreeMap<Option<usize>, Vec<&str>> = BTreeMap::new();
    for line in lines {
        by_tag.entry(line.tag).or_default().push(&line.text);
    }
    debug_assert!(by_tag.len() <= tags.names().len() + 1);
    let coded: BTreeMap<Option<usize>, bool> =
        by_tag.into_iter().map(|(tag, texts)| (tag, begins_with_codes(texts.into_iter()))).collect();
    let numbers = numbers_of(context);
    let mut wordings = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if at % ROWS_PER_CHECK == 0 && control.is_cancelled() {
            return Err(Stopped);
        }
        let mut wording = Wording::of(line, coded.get(&line.tag).copied().unwrap_or(false));
        // A number says nothing but what the context tells of it.
        for number in numbers.iter().filter(|number| line.words().any(|word| word.starts_with(number.as_str()))) {
            wording.padded.extend([number, " "]);
        }
        wordings.push(wording);
    }
    Ok(wordings)
}

/// What every row needs.
struct Stage<'s> {
    calibration: Calibration,
    own: &'s OwnAccounts,
    batch: &'s Batch<'s>,
    knowledge: &'s Knowledge,
    line_vat: LineVat<'s>,
    chart: &'s Chart,
    allowed: &'s AllowedVat,
    /// What the words of a line are worth here.
    words: Basis,
}

impl Stage<'_> {
    /// The answer for a line that was decided by its words.
    fn row(
        &self,
        line: &Line<'_>,
        (decision, (wanted, chance)): (&Decision, LearnedVat),
        recall: Option<&Recall>,
        not_allowed: &mut bool,
    ) -> CodedRow {
        let basis = match recall {
            None => self.words,
            Some(recall) if recall.seen.is_some() => Basis::Payee,
            Some(_) => Basis::OtherPayees,
        };
        let (vat, rate, is_wanted) = self.allowed.answer(wanted);
        *not_allowed |= !is_wanted;
        let mut confidence = (self.calibration)(decision.method, basis, decision.raw);
        if !is_wanted {
            confidence = confidence.saturating_mul(9) / 10;
        }
        if let Some(chance) = chance.filter(|chance| *chance < VAT_SURE_FROM) {
            let counted = f32::from(confidence) * libm::powf(chance / VAT_SURE_FROM, VAT_DOUBT);
            confidence = confidence::raw_thousandths(counted / 1000.0);
        }
        // What is left of certainty, shared as the evidence is.
        let left = f32::from(1000_u16.saturating_sub(confidence));
        let rest = (1.0 - decision.raw).max(0.001);
        let alternatives = decision
            .others
            .iter()
            .map(|(account, raw)| Alternative {
                account: *account,
                confidence: confidence::raw_thousandths(left * (raw / rest).min(1.0) / 1000.0).min(confidence),
            })
            .filter(|other| other.confidence >= 20)
            .collect();
        // What goes to an account that holds money of the caller's is moved, however that was found.
        let home = line.tag.and_then(|tag| self.own.account_of(tag));
        let is_purse = self.own.is_purse(decision.account, line.amount > 0);
        let is_moved = is_purse && !self.clears(decision.account) && home.is_some_and(|home| home != decision.account);
        CodedRow {
            account: decision.account,
            vat,
            vat_rate: rate,
            vat_amount: self.allowed.inside(line.amount, wanted),
            confidence,
            basis,
            method: if is_moved { Method::Transfer } else { decision.method },
            reason: self.reason(decision, recall, wanted, is_wanted),
            alternatives,
            settles: Vec::new(),
            transfer_pair: None,
        }
    }

    /// The answer for a line that settles something: debtors or creditors, or where the document itself went.
    fn settled_row(&self, decision: &Decision, settlement: Settlement, not_allowed: &mut bool) -> CodedRow {
        let invoices = self.batch.invoices.as_deref().unwrap_or_default();
        let first = settlement.settled.first().and_then(|settled| invoices.get(settled.invoice));
        let holds_no_money = |account: &usize| !self.own.is_money(*account);
        let control = match first.map(|invoice| invoice.kind) {
            Some(InvoiceKind::Bill) => self.chart.payables.filter(holds_no_money),
            Some(InvoiceKind::Invoice) => self.chart.receivables.filter(holds_no_money),
            // A credit note alone: money back to a customer, or from a supplier.
            Some(InvoiceKind::CreditNote) | None => decision.concept.map_or(self.chart.receivables, |id| {
                if self.knowledge.concept(id).is_expense() { self.chart.payables } else { self.chart.receivables }
            }),
        };
        let account = control.or_else(|| first.and_then(|invoice| invoice.account)).unwrap_or(decision.account);
        let (vat, rate, is_wanted) = self.allowed.answer(Vat::NoVat);
        *not_allowed |= !is_wanted;
        let raw = f32::from(settlement.strength) / 1000.0;
        let sure = (self.calibration)(Method::InvoiceSettlement, Basis::Line, raw);
        CodedRow {
            account,
            vat,
            vat_rate: rate,
            vat_amount: 0,
            confidence: if settlement.is_doubtful { sure.min(MOST_FOR_ONE_OF_TWO) } else { sure },
            basis: Basis::Line,
            method: Method::InvoiceSettlement,
            reason: Cow::Owned(settlement.remark),
            alternatives: Vec::new(),
            settles: settlement.settled,
            transfer_pair: None,
        }
    }

    /// Whether an account holds no money: a payment clears what a journal posted there (*Takings Control*).
    fn clears(&self, account: usize) -> bool {
        ["CLEARING", "CONTROL"].iter().any(|word| self.chart.has_word(account, word))
    }

    /// The answer for a line that moves money between the caller's own accounts.
    fn moved_row(&self, transfer: Transfer, not_allowed: &mut bool) -> CodedRow {
        let (vat, rate, is_wanted) = self.allowed.answer(Vat::NoVat);
        *not_allowed |= !is_wanted;
        let raw = f32::from(transfer.strength) / 1000.0;
        let is_cleared = transfer.pair.is_none() && self.clears(transfer.account);
        CodedRow {
            account: transfer.account,
            vat,
            vat_rate: rate,
            vat_amount: 0,
            confidence: (self.calibration)(Method::Transfer, Basis::Line, raw),
            basis: Basis::Line,
            method: if is_cleared { Method::AccountName } else { Method::Transfer },
            reason: Cow::Owned(transfer.remark),
            alternatives: Vec::new(),
            settles: Vec::new(),
            transfer_pair: transfer.pair,
        }
    }

    fn reason(&self, decision: &Decision, recall: Option<&Recall>, wanted: Vat, is_wanted: bool) -> Cow<'static, str> {
        let account = self.batch.accounts.get(decision.account).map_or("", |account| account.name.as_ref());
        let about = decision.concept.map_or("", |id| self.knowledge.concept(id).about);
        let mut reason = match decision.method {
            _ if decision.is_of_clients => format!("The account holds money of clients, which {account} owes to them."),
            Method::History => recall.map_or_else(String::new, |recall| history::reason(self.batch, recall, about)),
            Method::Fallback if decision.is_weak && decision.is_usual => {
                format!(
                    "Weak evidence: nothing is known of the payee, and most payments in this trade are for {about}. For a person to look at."
                )
            }
            Method::Fallback if decision.is_ranked => {
                format!(
                    "Weak evidence: of the accounts, {account} is the nearest to the line and to what the business context says near its words. For a person to look at."
                )
            }
            Method::Fallback if decision.is_weak => {
                format!(
                    "Weak evidence: a likeness to {about}, or one shared word, points to {account}. For a person to look at."
                )
            }
            Method::Fallback => {
                return Cow::Borrowed(
                    "No known payee, no telling word and no similar account: for a person to look at.",
                );
            }
            Method::UniversalPattern => format!("The words say: {about}; {account} is the chart's account for it."),
            Method::Merchant => {
                format!("A known payee or trade word: {about}; {account} is the chart's account for it.")
            }
            Method::AccountName if decision.is_stated => format!("The business context sends this payee to {account}."),
            Method::AccountName => format!("A word of the account name {account} is in the line."),
            Method::Refund => format!("Money back from a payee of {account}: {about}."),
            Method::BatchConsistency if decision.is_of_price => {
                format!("Others in the batch pay the same amount, all of them for {account}.")
            }
            Method::BatchConsistency => format!("The same payee elsewhere in the batch goes to {account}."),
            Method::Semantic if decision.is_usual => {
                format!(
                    "Nothing is known of the payee; most lines like it are, in this trade: {about}. {account} is the chart's account for it."
                )
            }
            Method::Semantic if decision.is_ranked => {
                format!(
                    "Of the accounts, {account} is the nearest to the line and to what the business context says near its words."
                )
            }
            _ => format!("Names and words like these mostly mean: {about}; {account} is the chart's account for it."),
        };
        if !is_wanted {
            reason.push_str(&format!(" {} would be the VAT code, which is not among those allowed.", wanted.as_str()));
        }
        Cow::Owned(reason)
    }

    fn warnings(&self, lines: &[Line<'_>], rows: &[CodedRow], not_allowed: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let invoices = self.batch.invoices.as_deref();
        if invoices.is_none() {
            warnings.push(Warning::NoInvoicesSupplied);
        }
        let tagged = lines.iter().filter(|line| line.tag.is_some()).count();
        if tagged == 0 {
            warnings.push(Warning::BankAccountMissing);
        } else if tagged < lines.len() {
            warnings.push(Warning::BankAccountIncomplete);
        }
        let has = |kind: InvoiceKind| invoices.is_some_and(|list| list.iter().any(|invoice| invoice.kind == kind));
        if has(InvoiceKind::Invoice) && self.chart.receivables.is_none() {
            warnings.push(Warning::ChartLacksReceivables);
        }
        if has(InvoiceKind::Bill) && self.chart.payables.is_none() {
            warnings.push(Warning::ChartLacksPayables);
        }
        if self.line_vat.business.has_special_vat_scheme {
            warnings.push(Warning::VatSchemeNotApplied);
        }
        if not_allowed {
            warnings.push(Warning::VatCodeNotAllowed);
        }
        if self.is_too_small(lines, rows) {
            warnings.push(Warning::ChartTooSmall);
        }
        warnings
    }

    /// Money came in and the chart has no income, or went out and it has no expenses, and the line is neither a settlement
    /// nor a transfer.
    fn is_too_small(&self, lines: &[Line<'_>], rows: &[CodedRow]) -> bool {
        let lacks = |kind| !self.chart.kinds.contains(&kind);
        let (no_income, no_expenses) = (lacks(AccountType::Income), lacks(AccountType::Expense));
        let is_ours = |row: &CodedRow| !matches!(row.method, Method::InvoiceSettlement | Method::Transfer);
        (no_income || no_expenses)
            && lines
                .iter()
                .zip(rows)
                .any(|(line, row)| is_ours(row) && (no_income && line.amount > 0 || no_expenses && line.amount < 0))
    }
}

/// Lines of one payee and direction go where the surest of them goes, unless they have clear evidence of their own.
fn agree(
    lines: &[Line<'_>],
    wordings: &[Wording],
    decided: &mut [Decision],
    is_seen: &dyn Fn(usize) -> bool,
    knowledge: &Knowledge,
) {
    let is_deposit = |id| knowledge.concept(id).name == "customer_deposits";
    let mut surest: HashMap<(&str, bool), (f32, usize, usize)> = HashMap::new();
    for (at, ((line, wording), decision)) in lines.iter().zip(wordings).zip(decided.iter()).enumerate() {
        // A deposit is what its own line calls one.
        if wording.payee.len() < 4 || decision.method == Method::Fallback || decision.concept.is_some_and(is_deposit) {
            continue;
        }
        let key = (wording.payee.as_str(), line.amount > 0);
        let best = surest.entry(key).or_insert((decision.raw, decision.account, at));
        // Equal sureness goes to the lower account and concept, so that the order of rows does not matter.
        let known = decided.get(best.2).and_then(|known| known.concept);
        let is_lower = (decision.account, decision.concept) < (best.1, known);
        if decision.raw > best.0 || (decision.raw == best.0 && is_lower) {
            *best = (decision.raw, decision.account, at);
        }
    }
    let best: Vec<Option<Decision>> = lines
        .iter()
        .zip(wordings)
        .map(|(line, wording)| {
            let (_, _, at) = surest.get(&(wording.payee.as_str(), line.amount > 0))?;
            decided.get(*at).cloned()
        })
        .collect();
    for (at, (decision, best)) in decided.iter_mut().zip(best).enumerate() {
        let Some(best) = best.filter(|_| !is_seen(at)) else { continue };
        // Words of intent are this line's own.
        let weak = matches!(decision.method, Method::Semantic | Method::Fallback)
            || decision.raw < 0.5 && decision.method != Method::UniversalPattern;
        if weak && best.account != decision.account && best.raw > decision.raw + 0.15 {
            let clues = std::mem::take(&mut decision.clues);
            *decision = Decision { method: Method::BatchConsistency, raw: best.raw * 0.9, clues, ..best };
        }
    }
}

/// What somebody pays of whom nothing is known is what others pay the same amount for, when at least two do and all of them for the
/// same: a price list in the batch.
fn share_prices(
    lines: &[Line<'_>],
    wordings: &[Wording],
    decided: &mut [Decision],
    is_apart: &dyn Fn(usize) -> bool,
    chart: &Chart,
) {
    /// So sure are lines of a price.
    const SURE: f32 = 0.6;
    /// Below this nothing is known.
    const LITTLE: f32 = 0.5;
    /// So sure are those that follow the others.
    const FOLLOWING: f32 = 0.55;
    let is_income = |account: usize| chart.kinds.get(account) == Some(&AccountType::Income);
    let is_unknown =
        |decision: &Decision| decision.is_open() || decision.is_ranked || decision.is_usual || decision.raw < LITTLE;
    // By amount; none where accounts differ.
    let mut prices: HashMap<i128, Option<Price<'_>>> = HashMap::new();
    for (at, ((line, wording), decision)) in lines.iter().zip(wordings).zip(decided.iter()).enumerate() {
        let is_known = decision.raw >= SURE && !is_unknown(decision) && is_income(decision.account);
        if line.amount <= 0 || is_apart(at) || !is_known {
            continue;
        }
        let (account, concept, payee) = (decision.account, decision.concept, wording.payee.as_str());
        prices
            .entry(line.pence)
            .and_modify(|price| {
                *price = price.filter(|price| price.account == account).map(|price| Price {
                    has_others: price.has_others || price.payee != payee,
                    // The lowest, so that the order of rows does not matter.
                    concept: price.concept.min(concept),
                    ..price
                });
            })
            .or_insert(Some(Price { account, concept, payee, has_others: false }));
    }
    for (at, (line, decision)) in lines.iter().zip(decided.iter_mut()).enumerate() {
        if let Some(Some(price)) = prices.get(&line.pence).copied()
            && price.has_others
            && is_unknown(decision)
            && (decision.account != price.account || decision.is_ranked && decision.raw < FOLLOWING)
            && !is_apart(at)
        {
            let others = decision.others.iter().copied().filter(|(other, _)| *other != price.account).collect();
            *decision = Decision {
                account: price.account,
                concept: price.concept,
                others,
                method: Method::BatchConsistency,
                raw: FOLLOWING,
                is_of_price: true,
                is_usual: false,
                is_weak: false,
                ..decision.clone()
            };
        }
    }
}

/// What several pay the same amount for.
#[derive(Clone, Copy)]
struct Price<'w> {
    account: usize,
    concept: Option<ConceptId>,
    /// One of those who pay it.
    payee: &'w str,
    /// Whether there are others.
    has_others: bool,
}

/// Whether money in from a payee who is also paid comes back: the line says so, or it is paid in by the card it was paid with.
fn comes_back(wording: &Wording) -> bool {
    const PHRASES: &[&str] = &[
        "CREDIT NOTE",
        "CREDIT CN",
        "CREDIT",
        "RETURN",
        "RETURNS",
        "SHORT DEL",
        "SHORT DELIVERY",
        "SHORTAGE",
        "OVERPAID",
        "OVERCHARGE",
        "OVERCHARGED",
        "REBATE",
        "ADJUSTMENT",
        "UNPAID",
        "RFD",
    ];
    // Only cards have the category of a merchant.
    is_money_back(wording)
        || wording.channel == Channel::Card
        || wording.category.is_some()
        || PHRASES.iter().any(|phrase| has_phrase(wording.text(), phrase))
}

/// Money in from a payee that money goes out to is money back, where the line says so or is about something bought.
fn refunds(
    lines: &[Line<'_>],
    wordings: &[Wording],
    decided: &mut [Decision],
    knowledge: &Knowledge,
    is_seen: &dyn Fn(usize) -> bool,
) {
    let expense = |id: Option<ConceptId>| id.is_some_and(|id| knowledge.concept(id).is_expense());
    let named = |decision: &Decision| decision.concept.map(|id| knowledge.concept(id).name);
    let is_payout = |decision: &Decision, source: &Decision| {
        decision.method == Method::Merchant && matches!(named(decision), Some("online_sales" | "card_takings"))
            || named(source) == Some("card_fees") && !expense(decision.concept)
    };
    let mut spent: HashMap<&str, (f32, usize)> = HashMap::new();
    for (at, ((line, wording), decision)) in lines.iter().zip(wordings).zip(decided.iter()).enumerate() {
        if line.amount < 0 && expense(decision.concept) && wording.payee.len() >= 4 {
            let best = spent.entry(wording.payee.as_str()).or_insert((decision.raw, at));
            let known = decided.get(best.1).map(|known| (known.account, known.concept));
            let is_lower = Some((decision.account, decision.concept)) < known;
            if decision.raw > best.0 || (decision.raw == best.0 && is_lower) {
                *best = (decision.raw, at);
            }
        }
    }
    let sources: Vec<Option<Decision>> = lines
        .iter()
        .zip(wordings)
        .map(|(line, wording)| {
            let payee = wording.payee.as_str();
            // A remark may stand behind the payee.
            let source = (line.amount > 0)
                .then(|| spent.get(payee).or_else(|| beginnings(payee).find_map(|part| spent.get(part))))??;
            decided.get(source.1).cloned()
        })
        .collect();
    let rows = lines.iter().zip(wordings).zip(decided.iter_mut()).zip(sources);
    for (at, (((line, wording), decision), source)) in rows.enumerate() {
        if line.amount <= 0 || is_seen(at) {
            continue;
        }
        match source {
            // A shop's payout is no refund of what the shop costs.
            Some(source) if is_payout(decision, &source) => {}
            // Nothing is known of the payee, or the person who is paid pays something in.
            Some(source)
                if !is_money_back(wording)
                    && !expense(decision.concept)
                    && (source.method == Method::Fallback || is_person(&wording.payee)) => {}
            Some(source) if comes_back(wording) && decision.raw < 0.75 || expense(decision.concept) => {
                let clues = std::mem::take(&mut decision.clues);
                *decision = Decision { method: Method::Refund, raw: source.raw * 0.9, clues, ..source };
            }
            _ if expense(decision.concept) && decision.method != Method::Fallback => decision.method = Method::Refund,
            _ => {}
        }
    }
}

/// What a text begins with, of two words at least, longest first.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    text.rmatch_indices(' ').filter_map(|(end, _)| text.get(..end)).filter(|part| part.contains(' '))
}
