//! The thread of the policy: what it is shown, what it learns, and the snapshots that it publishes.

pub(crate) mod example;
pub(crate) mod example_links;
pub(crate) mod known_classes;
pub(crate) mod learning;
pub(crate) mod make_policy;
pub(crate) mod model_file;
pub(crate) mod needs;
pub(crate) mod pace;
pub(crate) mod policy_board;
pub(crate) mod policy_log;
pub(crate) mod policy_setup;
pub(crate) mod snapshot_publisher;
pub(crate) mod text_replay;
