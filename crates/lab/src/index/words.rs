//! The tokens of [`harvestman_structure::site::tokens`] as a tokenizer of tantivy.

use harvestman_structure::site::tokens;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The name under which the tokenizer is registered.
pub(crate) const WORDS: &str = "words";

/// Cuts a text into tokens. The first one has position 0. What is left out (numbers, single characters) takes no
/// position.
#[derive(Debug, Clone)]
pub(crate) struct WordTokenizer;

/// The tokens of a text, one after another.
pub(crate) struct WordStream<'a> {
    words: Box<dyn Iterator<Item = String> + 'a>,
    next_position: usize,
    token: Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream { words: Box::new(tokens(text)), next_position: 0, token: Token::default() }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        self.token.text = word;
        self.token.position = self.next_position;
        self.next_position += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
