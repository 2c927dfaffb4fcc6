//! Builds the policy of a crawl from the settings, and its learner if it learns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::error::Error;
use crate::handles::FrontierHandle;
use crate::live::LiveBoard;
use crate::observations::{self, OBSERVATIONS_DIRECTORY, ObservationEvent, ObservationLog, Recalled};
use crate::page::page_processor::PageProcessor;
use crate::page::rules::{AcceptsPage, Rules};
use crate::page::validator::validator;
use crate::policy_thread::example::{examples, reader, spelling_reader};
use crate::policy_thread::example_links::{check_topic, links_reader};
use crate::policy_thread::learning::{Learner, Learning, ObservationSender};
use crate::policy_thread::make_policy::MakePolicy;
use crate::policy_thread::model_file::{ModelFile, model};
use crate::policy_thread::needs::SharedNeeds;
use crate::policy_thread::pace::Pace;
use crate::policy_thread::policy_board::PolicyBoard;
use crate::policy_thread::policy_log::Journal;
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use crate::run::environment::Environment;
use crate::search::searches::{Searches, text_of};
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, FilterOrder, PolicyOptions};
use harvestman_core::model::ClusterId;
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Scope};
use harvestman_metrics::Metrics;
use harvestman_policy::learned::{SiteModel, TopicTerms};
use harvestman_policy::steering::Steering;
use harvestman_policy::{
    self as policy, CurrentPolicy, ExamplePage, GuardedPolicy, Policy, PolicyInputs, PolicySnapshot, Proposal,
};
use harvestman_stages::frontier::{LinksFound, Order, OrderSlot};
use harvestman_structure::parse::Parser;

/// A policy that is ready for use; its first snapshot is published.
pub(crate) struct PolicySetup {
    policy: Box<dyn Policy>,
    filter: FilterOrder,
    /// The publisher of snapshots, which applies bans and pins.
    pub(crate) publisher: Arc<SnapshotPublisher>,
    pub(crate) current: CurrentPolicy,
    pub(crate) needs: Arc<SharedNeeds>,
    /// The slot for later orders to the frontier.
    pub(crate) orders: Arc<OrderSlot>,
    /// What was found.
    pub(crate) board: Arc<PolicyBoard>,
    /// Says which pages are wanted, if the policy does not.
    pub(crate) validator: Option<Arc<AcceptsPage>>,
    /// The example pages that are to be fetched.
    pub(crate) example_seeds: Vec<CanonicalUrl>,
    observations: Option<ObservationLog>,
    scope: Arc<Scope>,
    searches: Option<Arc<Searches>>,
}

/// The environment of the policy, and the seed of its random draws.
pub(crate) struct PolicyEnvironment<'a> {
    pub(crate) environment: &'a dyn Environment,
    pub(crate) seed: Seed,
    /// The policy that takes the place of the one of the settings.
    pub(crate) own: Option<MakePolicy>,
}

/// What a learner is built from besides the configuration.
pub(crate) struct LearnerSetup {
    pub(crate) frontier: FrontierHandle,
    pub(crate) live: Arc<LiveBoard>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
}

impl PolicySetup {
    /// Creates the policy.
    pub(crate) fn new(
        config: &Config,
        canonicaliser: &Canonicaliser,
        seeds: &[CanonicalUrl],
        scope: &Arc<Scope>,
        searches: Option<&Arc<Searches>>,
        PolicyEnvironment { environment, seed, own }: PolicyEnvironment<'_>,
    ) -> Result<Self, Error> {
        let examples = examples(config, canonicaliser, scope)?;
        let validator = validator(&config.policy, &examples)?;
        check_topic(config, &examples, &*links_reader(canonicaliser))?;
        let model = model(config, seeds, scope)?;
        let unfetched = examples.iter().filter(|example| example.facts.is_none());
        let example_seeds = unfetched.map(|example| example.url.clone()).collect();
        let make = match own {
            Some(own) => own,
            None => making(config, canonicaliser, searches.cloned(), examples, model)?,
        };
        let mut policy = environment.policy(&make, seed);
        if config.filter.trap_guard {
            policy = Box::new(GuardedPolicy::new(policy));
        }
        let first = policy.snapshot();
        let current: CurrentPolicy = Arc::new(ArcSwap::from_pointee(Arc::clone(&first)));
        let (steering, explained, filter) = (Steering::default(), policy.is_explained(), config.filter.order);
        let publisher = SnapshotPublisher::new(first, Arc::clone(&current), steering, explained, filter);
        Ok(Self {
            publisher: Arc::new(publisher),
            current,
            needs: Arc::new(SharedNeeds::new(policy.needs())),
            orders: Arc::default(),
            board: Arc::default(),
            observations: None,
            filter,
            policy,
            example_seeds,
            validator,
            scope: Arc::clone(scope),
            searches: searches.cloned(),
        })
    }

    /// Returns the queries that a run starts with.
    pub(crate) fn open_queries(&mut self) -> Vec<Proposal> {
        self.policy.open_queries()
    }

    /// Returns the first order of the frontier.
    pub(crate) fn first_order(&self) -> Order {
        self.publisher.order()
    }

    /// Replays the observations of an earlier run to the policy, and applies the bans and pins that are in force. From
    /// now on observations are persisted.
    pub(crate) fn recall(&mut self, config: &Config, directory: &Path, steering: Steering) -> Result<(), Error> {
        let mut pages = Vec::new();
        if self.policy.is_explained() && !self.policy.learns_elsewhere() && config.state.enabled {
            let (log, recalled) = recall(config, directory, &mut *self.policy, &mut pages)?;
            log_recalled(recalled);
            self.observations = Some(log);
        }
        for url in self.policy.found_sites() {
            self.scope.add_found_site(&url);
        }
        if let Some(searches) = &self.searches {
            searches.add_found(self.policy.found_searches());
        }
        self.needs.set(self.policy.needs());
        let (explained, current) = (self.policy.is_explained(), Arc::clone(&self.current));
        let publisher = SnapshotPublisher::new(self.policy.snapshot(), current, steering, explained, self.filter);
        pages.iter().for_each(|(url, cluster)| publisher.see(url, *cluster));
        publisher.look_again();
        self.publisher = Arc::new(publisher);
        Ok(())
    }

    /// Returns the first snapshot.
    pub(crate) fn first(&self) -> Arc<dyn PolicySnapshot> {
        self.publisher.snapshot()
    }

    /// Builds the learner; `None` if the policy does not learn.
    pub(crate) fn learner(
        self,
        config: &Config,
        directory: &Path,
        LearnerSetup { frontier, live, rules, clock, metrics }: LearnerSetup,
    ) -> Result<Option<(ObservationSender, Learner)>, Error> {
        if !self.policy.learns() {
            return Ok(None);
        }
        let logged = config.policy.log && self.policy.is_explained();
        let journal = logged.then(|| Journal::open(directory)).transpose()?;
        let (links_to, options) = (frontier.clone(), config.parse.clone());
        let mut processor = PageProcessor::new(rules, move || Parser::new(&options));
        let propose = move |proposals: &[Proposal]| links_to.send(LinksFound(processor.proposals(proposals)));
        let to_frontier = move |order| frontier.publish(order);
        let learning = Learning {
            facts: self.policy.facts(),
            board: self.board,
            scope: self.scope,
            searches: self.searches,
            live,
            untold: true,
            spell: spelling_reader(&config.parse),
            spelt: 0,
            policy: self.policy,
            snapshot: self.publisher.snapshot(),
            publisher: self.publisher,
            needs: self.needs,
            to_frontier: Box::new(to_frontier),
            propose: Box::new(propose),
            journal,
            observations: self.observations,
            model_file: Some(ModelFile::new(directory, &config.parse)),
            pace: Pace::new(clock.now()),
            read: reader(&config.parse),
            clock,
            metrics: Arc::clone(&metrics.policy),
        };
        Ok(Some(learning.ready(config.frontier.in_flight_max as usize)))
    }
}

/// Returns the constructor of the policy.
fn making(
    config: &Config,
    canonicaliser: &Canonicaliser,
    searches: Option<Arc<Searches>>,
    examples: Vec<ExamplePage>,
    model: Option<SiteModel>,
) -> Result<MakePolicy, Error> {
    let make = policy::maker(config.crawl.policy, &config.policy).map_err(Error::Configuration)?;
    let (config, canonicaliser) = (config.clone(), canonicaliser.clone());
    let samples: Vec<String> = examples.iter().filter(|_| searches.is_some()).filter_map(text_of).collect();
    Ok(Arc::new(move |seed| {
        let read_links = Some(links_reader(&canonicaliser));
        let inputs = PolicyInputs { read_links, ..inputs(&config.policy, &examples, model.as_ref(), seed) };
        let policy = make(&inputs, reader(&config.parse));
        Searches::around(searches.as_ref(), policy, &config, &canonicaliser, samples.clone())
    }))
}

/// Returns what the policy is made from.
pub(crate) fn inputs<'a>(
    options: &PolicyOptions,
    examples: &'a [ExamplePage],
    model: Option<&'a SiteModel>,
    seed: Seed,
) -> PolicyInputs<'a> {
    let validated = options.want.iter().any(|want| want != "like");
    let topic = TopicTerms::new(options.topic.iter().map(String::as_str));
    PolicyInputs { examples, model, validated, topic, derives: options.derive, ..PolicyInputs::new(seed) }
}

/// Opens the log of observations, and replays it to a policy. Adds the pages with a known cluster to `pages`.
fn recall(
    config: &Config,
    directory: &Path,
    policy: &mut dyn Policy,
    pages: &mut Vec<(String, ClusterId)>,
) -> Result<(ObservationLog, Recalled), Error> {
    let path = directory.join(OBSERVATIONS_DIRECTORY);
    let show = |recorded| match recorded {
        ObservationEvent::Observed(seen, cluster) => {
            if cluster != ClusterId::UNKNOWN {
                pages.push((seen.url.as_str().to_owned(), cluster));
            }
            policy.observe(*seen);
            // They were made when the policy saw this first.
            drop(policy.proposals());
        }
        // The run after it began with them.
        ObservationEvent::RunEnded => drop(policy.open_queries()),
    };
    let opened = AssertUnwindSafe(|| ObservationLog::open(directory, observations::key(config), show));
    match catch_unwind(opened) {
        Ok(opened) => opened.map_err(|source| Error::Write { path, source }),
        Err(_) => Err(Error::Internal(format!(
            "the policy panicked at an observation of an earlier run; without {} it learns from scratch",
            path.display()
        ))),
    }
}

/// Logs what was restored.
fn log_recalled(recalled: Recalled) {
    if recalled.spoilt > 0 {
        tracing::warn!(
            files = recalled.spoilt,
            "observations of an earlier run are of other settings or another version; they are removed, and the policy \
             learns from scratch"
        );
    }
    if recalled.observations > 0 {
        tracing::info!(fetches = recalled.observations, "the policy is restored from its observations");
    }
}
