//! The only access to randomness.
//!
//! A crawl has one root [`Seed`]; every part that draws random numbers gets a child seed under a name of its own, so
//! that a new part does not change what the others draw.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random number generator: fast, with the same stream for the same seed on every platform and version.
pub type Rng = Xoshiro256PlusPlus;

/// The initial state of random draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// Returns the seed of the part called `name`.
    pub fn child(self, name: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64_with_seed(name.as_bytes(), self.0))
    }

    /// Returns the `index`-th child seed.
    pub fn nth(self, index: u64) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64_with_seed(&index.to_le_bytes(), self.0))
    }

    /// Creates a generator with this seed.
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }

    /// Creates a seed from the operating system, for runs without a given seed; it is reported so that the run can be
    /// repeated.
    pub fn from_system() -> Self {
        Self(Rng::from_os_rng().next_seed())
    }
}

trait NextSeed {
    fn next_seed(self) -> u64;
}

impl NextSeed for Rng {
    fn next_seed(mut self) -> u64 {
        rand::RngCore::next_u64(&mut self)
    }
}
