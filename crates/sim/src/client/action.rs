//! The requests that change something. A crawler must send none of them.

use super::super::path::{segments, split};

/// What a request with a method other than GET and HEAD asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Action {
    /// A vote for a post.
    Vote,
    /// The deletion of a post.
    Delete,
    /// The end of the log-in.
    LogOut,
}

/// Returns the action at a path.
pub(in super::super) fn action(path_and_query: &str) -> Option<Action> {
    let (parts, count) = segments(split(path_and_query).0);
    match &parts[..count] {
        ["api", "post", _, "vote"] => Some(Action::Vote),
        ["api", "post", _, "delete"] => Some(Action::Delete),
        ["api", "log-out"] => Some(Action::LogOut),
        _ => None,
    }
}
