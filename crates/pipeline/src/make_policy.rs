//! How the policy of a crawl is made.

use std::sync::Arc;

use harvestman_core::seed::Seed;
use harvestman_policy::Policy;

/// Makes the policy that is configured; its random draws start at the seed.
pub(super) type MakePolicy = Arc<dyn Fn(Seed) -> Box<dyn Policy> + Send + Sync>;
