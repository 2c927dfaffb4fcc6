//! Searches an index.

use std::sync::Arc;

use tantivy::query::{BooleanQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{IndexReader, Term};

use crate::index::best::Best;
use crate::index::error::Error;
use crate::index::limits::RESULTS_MAX;
use crate::index::page::{IndexedPage, NUMBER};
use crate::index::query::{Clause, clauses};

/// A full-text index.
pub struct LocalIndex {
    pub(crate) reader: IndexReader,
    pub(crate) text: Field,
    /// The rank of each document, by its number.
    pub(crate) ranks: Arc<[u32]>,
    /// The documents by rank: in the order of their addresses.
    pub(crate) pages: Vec<IndexedPage>,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryAnswer {
    /// Number of documents that match.
    pub hits: u64,
    /// The part of them that was asked for, the best one first.
    pub results: Vec<Hit>,
}

/// A document that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its address.
    pub url: Box<str>,
    /// Its title.
    pub title: Option<Box<str>>,
    /// The beginning of its text.
    pub excerpt: Box<str>,
    /// Its BM25 score (k1 = 1.2, b = 0.75), summed over the words and phrases of the query.
    pub score: f32,
}

impl LocalIndex {
    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Searches for the documents that contain all words and phrases of `query` ([`clauses`]) in their titles or texts,
    /// in the order of their scores, ties in the order of their addresses. Returns the results from `offset`, counted
    /// from 0, and at most `count`; none behind [`RESULTS_MAX`].
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn search(&self, query: &str, offset: usize, count: usize) -> Result<QueryAnswer, Error> {
        let wanted: Vec<Box<dyn Query>> = clauses(query).iter().map(|clause| self.query(clause)).collect();
        if wanted.is_empty() {
            return Ok(QueryAnswer { hits: 0, results: Vec::new() });
        }
        let limit = offset.saturating_add(count).min(RESULTS_MAX);
        let best = Best { limit, number_field: NUMBER, ranks: Arc::clone(&self.ranks) };
        let matches = self.reader.searcher().search(&BooleanQuery::intersection(wanted), &best)?;
        let hits = matches.hits;
        let best = matches.into_best();
        let part = best.iter().skip(offset).take(count);
        let shown = part.filter_map(|found| Some((self.pages.get(found.rank as usize)?, found.score)));
        let results = shown.map(|(page, score)| Hit {
            url: page.url.clone(),
            title: page.title.clone(),
            excerpt: page.excerpt.clone(),
            score,
        });
        Ok(QueryAnswer { hits, results: results.collect() })
    }

    fn query(&self, clause: &Clause) -> Box<dyn Query> {
        let mut terms: Vec<Term> = clause.iter().map(|word| Term::from_field_text(self.text, word)).collect();
        match terms.pop() {
            Some(only) if terms.is_empty() => Box::new(TermQuery::new(only, IndexRecordOption::WithFreqs)),
            last => {
                terms.extend(last);
                Box::new(PhraseQuery::new(terms))
            }
        }
    }
}
