//! The workers: what they share, and the stations at which they process a page.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::CrawlBuilder;
use super::sinks::Sinks;
use crate::bounds::SITEMAP_URLS_MAX;
use crate::error::Error;
use crate::live::LiveBoard;
use crate::login::Session;
use crate::page::block_page_gate::BlockPageGate;
use crate::page::consent::Consent;
use crate::page::gate::Gate;
use crate::page::render_gate::{RenderGate, RenderReturn};
use crate::page::rules::AcceptsPage;
use crate::page::session_gate::SessionGate;
use crate::page::stations::Stations;
use crate::page::validator::ValidatorGate;
use crate::page::visit_gate::VisitGate;
use crate::page::worker_context::{Followers, WorkerContext, WorkerHandles};
use crate::policy_thread::learning::{Learner, ObservationSender};
use crate::policy_thread::policy_setup::{LearnerSetup, PolicySetup};
use crate::rendering::{RenderQueue, Renders};
use crate::run::crawl::Handles;
use harvestman_consent::ConsentRules;
use harvestman_stages::frontier::CreditPool;

/// The features with parts of their own that a page passes, if they are on.
pub(super) struct Features {
    pub(super) session: Option<Arc<Session>>,
    pub(super) renders: Option<(Arc<Renders>, RenderQueue)>,
    pub(super) validator: Option<Arc<AcceptsPage>>,
}

impl CrawlBuilder<'_> {
    /// Builds the stations of a page: each feature that is on has a gate.
    pub(super) fn stations(&self, features: Features, handles: &Handles, sinks: &Sinks) -> Stations {
        let Features { session, renders, validator } = features;
        let mut gates: Vec<Box<dyn Gate>> = vec![Box::new(VisitGate(Arc::clone(&sinks.visits)))];
        if let Some(session) = session {
            gates.push(Box::new(SessionGate(session)));
        }
        if self.config.filter.substitutes {
            gates.push(Box::new(BlockPageGate::new(handles.suspects.clone())));
        }
        if let Some((rules, queue)) = renders {
            gates.push(Box::new(RenderReturn(Arc::clone(&rules))));
            gates.push(Box::new(RenderGate { rules, queue }));
        }
        if let Some(validator) = validator {
            gates.push(Box::new(ValidatorGate(validator)));
        }
        Stations::new(gates)
    }

    /// Builds what the workers share.
    pub(super) fn worker_context(&self, live: &Arc<LiveBoard>, handles: &Handles, sinks: &Sinks) -> WorkerContext {
        let metrics = &self.hooks.metrics;
        WorkerContext {
            handles: WorkerHandles {
                frontier: handles.frontier.clone(),
                hosts: handles.hosts.clone(),
                archive: sinks.files.handle(self),
                recrawl: handles.recrawl.clone(),
                sitemap_credit: CreditPool::new(SITEMAP_URLS_MAX),
            },
            visits: Arc::clone(&sinks.visits),
            put_backs: Arc::clone(&sinks.put_backs),
            consent: Consent {
                rules: ConsentRules::from(self.config),
                agent: self.config.robots.agent.clone(),
                metrics: metrics.clone(),
            },
            followers: Followers {
                live: Arc::clone(live),
                trees: self.hooks.trees.clone(),
                receiver: self.extensions.receiver.clone(),
                errors: self.extensions.errors.clone(),
            },
            clock: self.clock.clone(),
            metrics: metrics.clone(),
            write_failed: AtomicBool::new(false),
        }
    }

    /// Builds the policy's learner; `None` if the policy does not learn.
    pub(super) fn learner(
        &self,
        policy: PolicySetup,
        live: &Arc<LiveBoard>,
        handles: &Handles,
        sinks: &Sinks,
    ) -> Result<Option<(ObservationSender, Learner)>, Error> {
        let learner = LearnerSetup {
            frontier: handles.frontier.clone(),
            live: Arc::clone(live),
            rules: Arc::clone(&sinks.rules),
            clock: self.clock.clone(),
            metrics: self.hooks.metrics.clone(),
        };
        policy.learner(self.config, &sinks.directory, learner)
    }
}
