//! What is kept of the requests of classes over a restart: templates, not samples.

use std::hash::Hash;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    CHECK_AFTER, CHECK_AFTER_MAX, CLASSES_MAX, Class, FAILURES_MAX, Progress, RETRY_AFTER, RETRY_AFTER_MAX,
    ReplayShare, Replays, VERIFIED, remember,
};
use crate::replay::ReplayTemplate;

/// What is kept of a class over a restart. Its samples are not: they are large, and a few further pages give others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptReplay {
    progress: KeptProgress,
    retry_after: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptProgress {
    Learning { template: Option<Arc<ReplayTemplate>>, verified: u32, held: ReplayShare },
    Ready { template: Arc<ReplayTemplate>, since: u32, check_after: u32, failures: u32 },
    GivenUp { since: u32 },
}

impl KeptProgress {
    fn of(progress: &Progress) -> Self {
        match progress {
            Progress::Learning { template, verified, held, .. } => {
                Self::Learning { template: template.clone(), verified: *verified, held: *held }
            }
            Progress::Ready { template, since, check_after, failures } => {
                let (since, check_after, failures) = (*since, *check_after, *failures);
                Self::Ready { template: Arc::clone(template), since, check_after, failures }
            }
            Progress::GivenUp { since } => Self::GivenUp { since: *since },
        }
    }

    /// Returns the progress of the next run. A template that this program does not understand is learned again; counts
    /// that no class can have are replaced by the nearest that it can.
    fn restored(self) -> Progress {
        match self {
            Self::Learning { template: Some(template), verified, held } if template.is_usable() => {
                let verified = verified.min(VERIFIED);
                Progress::Learning { samples: Vec::new(), template: Some(template), verified, held }
            }
            Self::Ready { template, since, check_after, failures } if template.is_usable() => {
                let check_after = check_after.clamp(CHECK_AFTER, CHECK_AFTER_MAX);
                let (since, failures) = (since.min(check_after), failures.min(FAILURES_MAX));
                Progress::Ready { template, since, check_after, failures }
            }
            Self::GivenUp { since } => Progress::GivenUp { since: since.min(RETRY_AFTER_MAX) },
            Self::Learning { .. } | Self::Ready { .. } => Progress::default(),
        }
    }
}

impl<K: Hash + Eq> Replays<K> {
    /// Returns what is kept of a class.
    pub fn kept(&self, class: &K) -> Option<KeptReplay> {
        let Class { progress, retry_after } = self.classes.get(class)?;
        Some(KeptReplay { progress: KeptProgress::of(progress), retry_after: *retry_after })
    }

    /// Restores a class.
    pub fn restore(&mut self, class: K, kept: KeptReplay) {
        if self.classes.len() < CLASSES_MAX {
            let retry_after = kept.retry_after.clamp(RETRY_AFTER, RETRY_AFTER_MAX);
            self.classes.insert(class, Class { progress: kept.progress.restored(), retry_after });
        }
    }

    /// Returns the templates that are tried for new classes, which are kept too.
    pub fn templates(&self) -> &[Arc<ReplayTemplate>] {
        &self.known
    }

    /// Restores the templates that are tried for new classes.
    pub fn restore_templates(&mut self, templates: &[Arc<ReplayTemplate>]) {
        templates.iter().filter(|template| template.is_usable()).for_each(|it| remember(&mut self.known, it));
    }
}
