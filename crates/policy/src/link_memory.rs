//! The contexts of waiting links, for policies that judge single links.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::url::Fingerprint;

/// What stood around the waiting links, by their URLs.
#[derive(Debug)]
pub struct LinkMemory {
    contexts: HashMap<Fingerprint, Box<[u32]>, FixedState>,
    urls_max: usize,
    tokens: usize,
    tokens_max: usize,
}

impl LinkMemory {
    /// Remembers at most `urls_max` links with `tokens_max` tokens (4 bytes each) together; further ones have no
    /// context.
    pub fn new(urls_max: usize, tokens_max: usize) -> Self {
        Self { contexts: HashMap::default(), urls_max, tokens: 0, tokens_max }
    }

    /// Remembers what stood around the link to `url`, unless there is no room, or it is known already.
    pub fn put(&mut self, url: Fingerprint, context: Box<[u32]>) {
        let room = self.contexts.len() < self.urls_max && self.tokens + context.len() <= self.tokens_max;
        if room && !context.is_empty() && !self.contexts.contains_key(&url) {
            self.tokens += context.len();
            self.contexts.insert(url, context);
        }
    }

    /// The context of a link that waits.
    pub fn get(&self, url: Fingerprint) -> Option<&[u32]> {
        self.contexts.get(&url).map(|context| &**context)
    }

    /// Takes the context of a link that no longer waits.
    pub fn take(&mut self, url: Fingerprint) -> Option<Box<[u32]>> {
        let context = self.contexts.remove(&url)?;
        self.tokens -= context.len();
        Some(context)
    }

    /// Whether it has no link.
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    /// The number of links.
    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// The links with their contexts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Fingerprint, &[u32])> {
        self.contexts.iter().map(|(url, context)| (*url, &**context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: u32) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/{number}"))
    }

    #[test]
    fn links_are_remembered_until_they_are_taken_and_within_both_bounds() {
        let mut memory = LinkMemory::new(3, 10);
        (0..5).for_each(|number| memory.put(url(number), Box::new([number; 4])));
        assert_eq!(memory.len(), 2, "ten tokens are room for two links");
        assert_eq!(memory.get(url(0)), Some([0; 4].as_slice()));
        assert_eq!(memory.take(url(0)).as_deref(), Some([0; 4].as_slice()));
        assert_eq!((memory.take(url(0)), memory.get(url(0))), (None, None));
        (5..9).for_each(|number| memory.put(url(number), Box::new([number])));
        assert_eq!((memory.len(), memory.tokens), (3, 6));
        memory.put(url(1), Box::new([9]));
        assert_eq!(memory.take(url(1)).as_deref(), Some([1; 4].as_slice()), "the first context stays");
        memory.put(url(20), Box::default());
        assert_eq!(memory.len(), 2, "a link without a context is not remembered");
    }
}
