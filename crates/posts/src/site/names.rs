//! Texts by number: names, addresses, hosts that many sightings share are kept once.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// The number of a text; 0 means that there is none.
pub(super) type TextId = u32;

/// Texts, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, TextId, foldhash::fast::RandomState>,
}

impl Names {
    /// Returns the number of a text.
    pub fn id(&mut self, text: &str) -> TextId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        self.texts.push(text.into());
        let id = self.texts.len() as TextId;
        self.ids.insert(text.into(), id);
        id
    }

    /// Returns the number of a text, or 0 if there is none.
    pub fn id_of(&mut self, text: Option<&str>) -> TextId {
        text.filter(|text| !text.is_empty()).map_or(0, |text| self.id(text))
    }

    /// Returns the number of texts.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// Returns the number of a text if it has one.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.ids.get(text).copied()
    }

    /// Returns the text of a number; the empty one of 0.
    pub fn text(&self, id: TextId) -> &str {
        (id as usize).checked_sub(1).and_then(|at| self.texts.get(at)).map_or("", |text| text)
    }

    /// Returns the text of a number, or `None` of 0.
    pub fn get(&self, id: TextId) -> Option<&str> {
        Some(self.text(id)).filter(|_| id != 0)
    }
}

/// Returns a hash of texts that is the same in every run; never 0.
pub(super) fn hash_of(parts: &[&str]) -> u64 {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        bytes.extend_from_slice(part.as_bytes());
        bytes.push(0xff);
    }
    xxh3_64(&bytes).max(1)
}
