//! Replays and experiments as a user has them: recordings on disk, the binary, its tables and its JSON.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

mod experiments;
mod mistakes;
mod models;
mod record;
mod recording;
mod replays;
