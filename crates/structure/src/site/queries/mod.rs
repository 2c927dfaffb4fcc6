//! Automatic generation of search queries (xCrawl 2009, section 4, `GetAuthorities`).
//!
//! The tokens of sample documents are ordered by the harmonic mean of two weights, [`ranked`]: TF-IDF, and how many
//! documents a search engine knows for the token. Both ends of that order are of little use: a token at the front may
//! be found everywhere, one at the end hardly anywhere. So [`Queries`] combines tokens from the middle outwards.
//! [`QueryGeneration`] decides which query is next and when to stop.

mod combinations;

use super::tokens::TokenWeight;

pub use combinations::{
    QUERY_LENGTH_MAX, QUERY_TOKENS_MAX, Queries, Query, RankedToken, harmonic_mean, middle_out, ranked, search_weights,
};

/// The parameters of [`QueryGeneration`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryOptions {
    /// Number of tokens that are used: those with the largest TF-IDF. At most [`QUERY_TOKENS_MAX`].
    pub tokens: usize,
    /// Number of tokens of the longest queries. At most [`QUERY_LENGTH_MAX`].
    pub length: usize,
    /// It ends after this number of combinations in succession that showed no new accepted page.
    pub max_iterations: u32,
    /// Maximum number of combinations.
    pub queries_max: usize,
}

impl Default for QueryOptions {
    /// 20 tokens, queries of 3 (the paper's example), 50 iterations (the paper's number, section 5.3), 1,000 queries.
    fn default() -> Self {
        Self { tokens: 20, length: 3, max_iterations: 50, queries_max: 1_000 }
    }
}

/// The result of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueryResult {
    /// The number of hits that the search engine reports; `None` if the query failed.
    pub hits: Option<u64>,
    /// The number of pages among the results that were accepted and not known before.
    pub accepted: u32,
}

/// The state of [`QueryGeneration`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryPhase {
    /// It asks for each token alone, to learn the numbers of hits.
    Weighing,
    /// It asks for combinations.
    Combining,
    /// There is no further query.
    Ended,
}

/// Generates queries one at a time: [`next_query`](Self::next_query), then [`ended`](Self::ended) with its result.
///
/// Queries of one token do not count as iterations, even if they show no accepted page: without them there is no order
/// of tokens. A token whose query failed or has no hits is not used further.
#[derive(Debug, Clone)]
pub struct QueryGeneration {
    options: QueryOptions,
    /// The tokens to ask for alone, the last one first.
    unasked: Vec<TokenWeight>,
    weighed: Vec<(TokenWeight, u64)>,
    ranking: Vec<RankedToken>,
    queries: Option<Queries>,
    /// The combination that was returned last and has no result yet.
    pending: Option<Query>,
    fruitless: u32,
    asked: u64,
    accepted: u64,
}

impl QueryGeneration {
    /// Starts with `tokens` in the order of their weights, the largest first.
    pub fn new(tokens: &[TokenWeight], options: QueryOptions) -> Self {
        let used = options.tokens.min(QUERY_TOKENS_MAX).min(tokens.len());
        Self {
            options: QueryOptions { length: options.length.min(QUERY_LENGTH_MAX), ..options },
            unasked: tokens[..used].iter().rev().cloned().collect(),
            weighed: Vec::with_capacity(used),
            ranking: Vec::new(),
            queries: None,
            pending: None,
            fruitless: 0,
            asked: 0,
            accepted: 0,
        }
    }

    /// Returns the query to send, the same one until its result is known; `None` at the end.
    pub fn next_query(&mut self) -> Option<Query> {
        if let Some(one) = self.unasked.last() {
            return Some(Query { tokens: vec![one.token.clone()] });
        }
        if self.pending.is_none() && self.fruitless < self.options.max_iterations {
            if self.queries.is_none() {
                self.rank();
            }
            self.pending = self.queries.as_mut().and_then(Iterator::next);
        }
        self.pending.clone()
    }

    /// Records the result of the query that was returned last. Without one, nothing changes.
    pub fn ended(&mut self, result: QueryResult) {
        if let Some(token) = self.unasked.pop() {
            self.weighed.extend(result.hits.filter(|hits| *hits > 0).map(|hits| (token, hits)));
        } else if self.pending.take().is_some() {
            self.fruitless = if result.accepted > 0 { 0 } else { self.fruitless.saturating_add(1) };
        } else {
            return;
        }
        self.asked += 1;
        self.accepted += u64::from(result.accepted);
    }

    /// Returns the state.
    pub fn phase(&mut self) -> QueryPhase {
        match self.next_query() {
            None => QueryPhase::Ended,
            Some(_) if self.unasked.is_empty() => QueryPhase::Combining,
            Some(_) => QueryPhase::Weighing,
        }
    }

    /// Returns the tokens in the order of their harmonic means; empty until each was asked for alone.
    pub fn ranking(&self) -> &[RankedToken] {
        &self.ranking
    }

    /// Returns the number of queries with a result.
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// Returns the number of accepted pages that the queries showed.
    pub const fn accepted(&self) -> u64 {
        self.accepted
    }

    fn rank(&mut self) {
        self.ranking = ranked(std::mem::take(&mut self.weighed));
        let tokens: Vec<&str> = self.ranking.iter().map(|one| one.token.as_str()).collect();
        // Queries of one token were all sent.
        self.queries = Some(Queries::new(&tokens, 2, self.options.length, self.options.queries_max));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Table 1: token, hits in thousands, TF-IDF.
    const TABLE_1: [(&str, u64, f64); 7] = [
        ("resolution", 275_000, 0.894),
        ("review", 956_000, 0.090),
        ("sensor", 85_500, 0.694),
        ("specifications", 142_000, 0.090),
        ("zoom", 20_100, 0.745),
        ("lens", 84_600, 0.014),
        ("hot-shoe", 992, 0.456),
    ];

    fn found(hits: u64, accepted: u32) -> QueryResult {
        QueryResult { hits: Some(hits), accepted }
    }

    fn tokens() -> Vec<TokenWeight> {
        TABLE_1.iter().map(|&(token, _, weight)| TokenWeight { token: token.to_owned(), weight }).collect()
    }

    fn weighed(options: QueryOptions) -> QueryGeneration {
        let mut generation = QueryGeneration::new(&tokens(), options);
        for (token, hits, _) in TABLE_1 {
            assert_eq!(generation.phase(), QueryPhase::Weighing);
            assert_eq!(generation.next_query().unwrap().to_string(), token);
            generation.ended(found(hits, 0));
        }
        generation
    }

    #[test]
    fn after_each_token_alone_the_first_combination_is_the_one_printed() {
        let mut generation = weighed(QueryOptions { max_iterations: 2, ..QueryOptions::default() });
        assert_eq!(generation.phase(), QueryPhase::Combining);
        assert_eq!(generation.next_query().unwrap().to_string(), "specifications sensor zoom");
        assert_eq!(generation.next_query().unwrap().to_string(), "specifications sensor zoom", "it has no result yet");
        assert_eq!(generation.ranking()[0].token, "resolution");
    }

    #[test]
    fn it_ends_when_as_many_queries_as_set_showed_no_new_page() {
        let mut generation = weighed(QueryOptions { max_iterations: 2, ..QueryOptions::default() });
        for accepted in [0, 6, 0] {
            assert!(generation.next_query().is_some());
            generation.ended(found(10, accepted));
        }
        assert!(generation.next_query().is_some(), "one fruitless query after one that was not");
        generation.ended(QueryResult::default());
        assert_eq!((generation.next_query(), generation.phase()), (None, QueryPhase::Ended));
        assert_eq!((generation.asked(), generation.accepted()), (11, 6));
        generation.ended(found(1, 1));
        assert_eq!(generation.asked(), 11, "nothing was asked");
    }

    #[test]
    fn tokens_without_hits_are_not_combined() {
        let mut generation = QueryGeneration::new(&tokens()[..3], QueryOptions::default());
        for hits in [Some(5), None, Some(0)] {
            assert!(generation.next_query().is_some());
            generation.ended(QueryResult { hits, accepted: 1 });
        }
        assert_eq!(generation.next_query(), None, "one token is no combination");
        assert_eq!(generation.ranking().len(), 1);
    }

    #[test]
    fn without_tokens_it_has_ended() {
        assert_eq!(QueryGeneration::new(&[], QueryOptions::default()).phase(), QueryPhase::Ended);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_always_ends_within_its_bounds(
            used in 0..9_usize, length in 0..10_usize, max_iterations in 0..9_u32, queries_max in 0..40_usize,
            results in prop::collection::vec((prop::option::of(0..9_u64), 0..2_u32), 1..20),
        ) {
            let options = QueryOptions { tokens: used, length, max_iterations, queries_max };
            let mut generation = QueryGeneration::new(&tokens(), options);
            let mut fruitless = 0;
            let mut results = results.into_iter().cycle();
            while let Some(query) = generation.next_query() {
                prop_assert!(query.tokens.len() <= length.max(1));
                prop_assert!(fruitless < max_iterations || query.tokens.len() == 1);
                let (hits, accepted) = results.next().unwrap();
                generation.ended(QueryResult { hits, accepted });
                fruitless = if accepted > 0 || query.tokens.len() == 1 { 0 } else { fruitless + 1 };
                prop_assert!(generation.asked() as usize <= used.min(7) + queries_max);
            }
        }
    }
}
