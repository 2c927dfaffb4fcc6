//! The constructor of a crawl's policy.

use std::sync::Arc;

use harvestman_core::seed::Seed;
use harvestman_policy::Policy;

/// Creates the configured policy; the seed is that of its random draws.
pub type MakePolicy = Arc<dyn Fn(Seed) -> Box<dyn Policy> + Send + Sync>;
