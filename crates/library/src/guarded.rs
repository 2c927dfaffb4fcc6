//! Calls code of the embedding program so that its panics end the crawl and nothing else.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use harvestman_pipeline::ExtensionErrors;

/// Calls one part of the embedding program's code.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    part: String,
    errors: ExtensionErrors,
}

impl Guarded {
    pub(crate) fn new(part: impl Into<String>, errors: &ExtensionErrors) -> Self {
        Self { part: part.into(), errors: errors.clone() }
    }

    /// Calls the code. If it panics, the crawl ends. Returns `None` then, and whenever a failure has ended the crawl
    /// before.
    pub(crate) fn call<T>(&self, code: impl FnOnce() -> T) -> Option<T> {
        if self.errors.is_broken() {
            return None;
        }
        let result = catch_unwind(AssertUnwindSafe(code));
        result.map_err(|panic| self.break_off(&format!("it panicked: {}", message(&*panic)))).ok()
    }

    /// Counts a failure, and ends the crawl.
    pub(crate) fn break_off(&self, message: &str) {
        self.errors.break_off(&self.part, message);
    }

    /// Counts a failure after which the crawl continues.
    pub(crate) fn note(&self, message: &str) {
        self.errors.note(&self.part, message);
    }
}

/// Returns the message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
