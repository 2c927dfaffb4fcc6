//! Maps and sets of what pages hold, with a hash that is faster than that of the library and has a random key as well.

use foldhash::fast::RandomState;

/// A map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
/// A set.
pub type HashSet<T> = std::collections::HashSet<T, RandomState>;
