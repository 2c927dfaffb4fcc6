//! The tokens of sample documents and their weights (xCrawl 2009, section 4, `GetTokens`): documents are cut into
//! tokens, [`StopWords`] are left out, and the others are ordered by TF-IDF.

mod background;
mod split;
mod stop_words;
mod weights;

pub use background::Background;
pub use split::{TOKENS_MAX, tokens};
pub use stop_words::{Language, StopWords};
pub use weights::{TokenWeight, preselected_tokens, token_weights};
