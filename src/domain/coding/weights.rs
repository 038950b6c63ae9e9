//! How much each kind of evidence counts. Settled on the businesses to learn from (`docs/coding.md` says how); everything
//! else about the engine is rules and knowledge.

/// The weights.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// A pattern that only hints.
    pub weak: f32,
    /// A known payee or phrase.
    pub usual: f32,
    /// Words of intent.
    pub decisive: f32,
    /// The same about what a trade buys or sells.
    pub decisive_trade: f32,
    /// A word of the line and one of the account's name are alike from here.
    pub word_like_from: f32,
    /// And that counts this much.
    pub word_like: f32,
    /// What the card network says that the merchant sells.
    pub category: f32,
    /// Each further word of a pattern.
    pub per_word: f32,
    /// A pattern at the begin of the line.
    pub first_word: f32,
    /// What a pattern of two letters loses: it may be anything.
    pub two_letters: f32,
    /// A word that has another meaning in this trade.
    pub sector_word: f32,
    /// A concept that is typical for the trade.
    pub likely: f32,
    /// The part of further evidence for a concept that has some.
    pub further: f32,
    /// An owner named in the line.
    pub owner: f32,
    /// The context says that a payee is private.
    pub private: f32,
    /// So much more where a statement of the context is about the payee by name.
    pub stated_private: f32,
    /// A word beside the payee in the context.
    pub hint_word: f32,
    /// A person who is not known.
    pub person: f32,
    /// What a word adds that makes something else of evidence.
    pub combined: f32,
    /// The part of a bank's charge that counts behind a payee.
    pub charge_behind: f32,
    /// What words of work by the week add to a person.
    pub labour: f32,
    /// Likeness in meaning counts from here.
    pub similar_from: f32,
    /// And this much.
    pub similar: f32,
    /// The part of it that counts beside strong evidence.
    pub similar_beside: f32,
    /// What a payee of the list of names sells.
    pub listed_payee: f32,
    /// The same where other words follow the name.
    pub listed_beginning: f32,
    /// What names like the payee's are sure to sell.
    pub expected: f32,
    /// What each e-fold of doubt about it takes away.
    pub expected_doubt: f32,
    /// The part of it that counts beside strong evidence.
    pub expected_beside: f32,
    /// What a line is about that its words leave no doubt of.
    pub line_expected: f32,
    /// What each e-fold of doubt about it takes away.
    pub line_expected_doubt: f32,
    /// Below this chance of the likeliest nothing is expected.
    pub line_expected_from: f32,
    /// The part of it that counts beside strong evidence.
    pub line_expected_beside: f32,
    /// The part of it that counts where such income is not of the trade.
    pub line_expected_foreign: f32,
    /// Evidence for income on money out.
    pub income_out: f32,
    /// Evidence for an expense on money in.
    pub expense_in: f32,
    /// A shop that sells everything, in a trade that says what it means.
    pub shop_here: f32,
    /// The same where no trade says so.
    pub shop_anywhere: f32,
    /// What a word counts for other accounts than those of the phrase it is in.
    pub word_of_a_phrase: f32,
    /// What a word that says what a kind of cost is for counts, where a line is known to be about another kind.
    pub word_beside_kind: f32,
    /// What the name of an account of materials counts for somebody who works for the business.
    pub material_of_worker: f32,
    /// What the name of a loan's account counts for somebody who is paid wages or what was spent.
    pub loan_of_claimant: f32,
    /// What an account that a known phrase may mean fits worse than the best at most.
    pub phrase_fit: f32,
    /// Below this fit no account of the balance sheet is meant.
    pub balance_sheet_fit: f32,
    /// From this fit on an account is a concept's own.
    pub own_account: f32,
    /// Below this fit a chart has no account for a kind of cost.
    pub no_account: f32,
    /// From this fit on what families buy has an account in the trade: *clothing* is seldom the owner's.
    pub family_account: f32,
    /// How sharply more evidence beats less.
    pub sharpness: f32,
    /// Evidence that "something else entirely" has.
    pub nothing: f32,
    /// What a concept keeps for which the chart has no account.
    pub fit_floor: f32,
    /// Two words of an account's name beside each other.
    pub account_pair: f32,
    /// The same beside the name of a payment service, as a share.
    pub hinted_service: f32,
    /// What being named in the line adds to the fit of an account of the concept.
    pub named_among: f32,
    /// What the first account that is for sales has before others when it is not said what was sold.
    pub main_sales: f32,
    /// What an account whose customers pay by invoice loses where sales were paid by card.
    pub not_by_card: f32,
    /// What an account for work for contractors loses where a private person paid.
    pub not_private: f32,
    /// How sharply a better account beats a worse one of the same concept.
    pub account_sharpness: f32,
    /// A rare word of the account's name in the line.
    pub account_word: f32,
    /// The part of it that a word of the caller's account counts that a line is from.
    pub home_word: f32,
    /// What an account that the context calls by its name gains among those of a concept.
    pub spoken_of: f32,
    /// An account of the part of the business that the caller's own account is for, among those of a concept.
    pub division: f32,
    /// The same in what the context says about the payee.
    pub hinted_word: f32,
    /// So many times that where the sentence says what is bought from the payee.
    pub hinted_purchase: f32,
    /// The same of a word that a clause says of the payee by a verb, and of those around it then.
    pub hinted_predicate: f32,
    pub hinted_beside: f32,
    /// An account whose code the context gives, for a line with a name of that clause.
    pub instructed: f32,
    /// The same for a person whose line has a remark.
    pub instructed_person: f32,
    /// An account that the context sends a payee to by its name.
    pub stated: f32,
    /// What belongs to an account of such a name.
    pub affinity: f32,
    /// An owner's name in the name of an account.
    pub owners_account: f32,
    /// The account's name and the line are alike from here.
    pub like_from: f32,
    /// And that counts this much.
    pub like: f32,
    /// The part of it that counts beside strong evidence.
    pub like_beside: f32,
    /// Below this much evidence a receipt may be a sale.
    pub sale_below: f32,
    /// Evidence for that.
    pub sale: f32,
    /// Below this much evidence a payment may be what the trade buys.
    pub purchase_below: f32,
    /// Evidence for that.
    pub purchase: f32,
    /// A likeness with less of all weight decides nothing.
    pub weak_below: f32,
    /// Nor do likenesses of which none has this much evidence, however many point to one account.
    pub weak_alone: f32,
    /// And a shared word of an account's name.
    pub weak_name_below: f32,
    /// Below this much evidence nothing is known.
    pub fallback_below: f32,
    /// A name of the close tier, beside 1 for the own one.
    pub close_tier: f32,
    /// A name of the wide tier.
    pub wide_tier: f32,
    /// What each place inside a tier costs.
    pub rank: f32,
    /// What a name keeps that covers nothing of the account's name.
    pub coverage_floor: f32,
    /// One of several things that a name lists, beside a name of its own.
    pub listed: f32,
    /// What a name keeps that covers only the name of a group of accounts.
    pub group_alone: f32,
    /// What an account loses for being better at something else.
    pub reverse_penalty: f32,
    /// An account of the concept's second type.
    pub second_type: f32,
    /// The account of the wider concept.
    pub parent: f32,
    /// The most that general expenses and suspense inherit.
    pub generic_cap: f32,
    /// How much shared words count beside meaning when accounts of other charts are compared.
    pub alike_stems: f32,
    /// From here an account of another chart is like one of this.
    pub alike_from: f32,
    /// What the first concept of an account that is quite alike gets.
    pub alike_best: f32,
    /// Likeness in meaning of a concept and an account, where no name fits.
    pub similar_account: f32,
}

/// The weights in use.
pub const WEIGHTS: Weights = Weights {
    weak: 1.44,
    usual: 2.0,
    decisive: 7.465,
    decisive_trade: 3.0,
    word_like_from: 0.313,
    word_like: 1.8,
    category: 2.6,
    per_word: 0.622,
    first_word: 0.212,
    two_letters: 0.5,
    sector_word: 1.667,
    likely: 0.376,
    further: 0.36,
    owner: 1.833,
    private: 3.429,
    stated_private: 1.0,
    hint_word: 1.368,
    person: 1.007,
    combined: 0.72,
    charge_behind: 0.5,
    labour: 1.0,
    similar_from: 0.372,
    similar: 2.4,
    similar_beside: 0.3,
    listed_payee: 2.714,
    listed_beginning: 2.006,
    expected: 2.6,
    expected_doubt: 0.706,
    expected_beside: 0.3,
    line_expected: 2.6,
    line_expected_doubt: 0.7,
    line_expected_from: 0.35,
    line_expected_beside: 0.6,
    line_expected_foreign: 0.75,
    income_out: 0.5,
    expense_in: 0.605,
    shop_here: 0.676,
    shop_anywhere: 0.533,
    word_of_a_phrase: 0.25,
    word_beside_kind: 0.4,
    material_of_worker: 0.5,
    loan_of_claimant: 0.3,
    phrase_fit: 0.16,
    balance_sheet_fit: 0.344,
    own_account: 0.615,
    no_account: 0.2,
    family_account: 0.72,
    sharpness: 1.417,
    nothing: 0.615,
    fit_floor: 0.144,
    account_pair: 1.5,
    hinted_service: 1.5,
    named_among: 0.264,
    main_sales: 0.05,
    not_by_card: 0.15,
    not_private: 0.4,
    account_sharpness: 9.567,
    account_word: 3.456,
    home_word: 0.9,
    spoken_of: 0.1,
    division: 0.3,
    hinted_word: 2.04,
    hinted_purchase: 1.8,
    hinted_predicate: 1.8,
    hinted_beside: 0.9,
    instructed: 4.5,
    instructed_person: 2.0,
    stated: 6.3,
    affinity: 3.878,
    owners_account: 2.0,
    like_from: 0.292,
    like: 3.85,
    like_beside: 0.3,
    sale_below: 1.872,
    sale: 1.25,
    purchase_below: 0.9,
    purchase: 0.9,
    weak_below: 0.34,
    weak_alone: 1.6,
    weak_name_below: 0.36,
    fallback_below: 0.42,
    close_tier: 0.8,
    wide_tier: 0.72,
    rank: 0.014,
    coverage_floor: 0.744,
    listed: 0.92,
    group_alone: 0.697,
    reverse_penalty: 0.576,
    second_type: 0.775,
    parent: 0.59,
    generic_cap: 0.35,
    alike_stems: 0.41,
    alike_from: 0.65,
    alike_best: 0.856,
    similar_account: 0.744,
};
