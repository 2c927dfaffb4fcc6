//! Tests of the measurement rules on simulated forums.

use crate::replay::{Plan, PolicyInputs, make, policies, replay};
use harvestman_core::config::PolicyKind;
use harvestman_papers::{APPRENTICE, RANDOM, SB};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::corpus::{PageId, Truth};
use crate::measures::Task;
use crate::tables::Measure;
use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};

/// A simulated forum of about this many pages.
pub(super) fn forum(pages: u64, seed: u64) -> Arc<Corpus> {
    let families = vec![Family::Forum];
    let options = WorldOptions { pages, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    Arc::new(Corpus::from_world(&World::new(&options, Seed(seed)).unwrap()).unwrap())
}

/// The same without labels.
fn unlabelled(pages: u64, seed: u64) -> Arc<Corpus> {
    let corpus = Arc::into_inner(forum(pages, seed)).unwrap();
    let nothing = Truth::new(&corpus, Vec::new(), false);
    Arc::new(corpus.labelled(nothing))
}

fn largest_type(corpus: &Corpus) -> Arc<str> {
    let types = corpus.truth().unwrap().types();
    Arc::clone(types.iter().max_by_key(|(_, counts)| counts.pages).unwrap().0)
}

fn measured(experiment: &impl Experiment, corpus: &Arc<Corpus>, threads: usize) -> Results {
    let mut results = Results::default();
    experiment.measure(corpus, &Workers::new(Some(threads), &()), &mut results).unwrap();
    results
}

#[test]
fn the_ucc_budget_is_a_quarter_of_all_or_half_of_the_wanted_pages() {
    let corpus = forum(200, 1);
    let ucc = corpus.truth().unwrap().ucc().pages as usize;
    let budget = ucc_budget(&corpus);
    assert_eq!(budget, (corpus.len() / 4).min(ucc / 2));
    assert!(budget < UCC_BUDGET_MAX, "the corpus is small");
    assert_eq!(ucc_budget(&unlabelled(200, 1)), corpus.len() / 4);
}

#[test]
fn the_budget_for_a_target_is_the_number_of_targets() {
    let corpus = forum(200, 1);
    let (page_type, counts) = corpus.truth().unwrap().types().iter().next().unwrap();
    assert_eq!(target_budget(&corpus, &Task::Target(Arc::clone(page_type))) as u64, counts.pages);
    assert_eq!(target_budget(&corpus, &Task::Target("none".into())), 1);
}

#[test]
fn targets_are_types_of_user_created_content_with_enough_pages() {
    let corpus = forum(200, 1);
    let truth = corpus.truth().unwrap();
    let all = target_types(&corpus, 1).unwrap();
    assert!(!all.is_empty() && all.len() < truth.types().len(), "some types are of users, some are not");
    for page_type in &all {
        let pages = corpus.ids().filter_map(|id| truth.page(id)).filter(|label| label.page_type == *page_type);
        let (ucc, others): (Vec<_>, Vec<_>) = pages.partition(|label| label.is_ucc);
        assert!(ucc.len() > others.len());
    }
    let least = truth.types()[&all[0]].pages;
    assert!(target_types(&corpus, least).unwrap().contains(&all[0]));
    assert!(!target_types(&corpus, least + 1).is_ok_and(|types| types.contains(&all[0])));
    let error = target_types(&corpus, 1 << 40).unwrap_err().to_string();
    assert!(error.contains("--types") && error.contains(&*all[0]), "{error}");
}

#[test]
fn an_example_is_a_page_of_its_type_drawn_by_the_seed() {
    let corpus = forum(200, 1);
    let page_type = largest_type(&corpus);
    let drawn: BTreeSet<PageId> = (1..20).map(|seed| example_of(&corpus, &page_type, Seed(seed)).unwrap()).collect();
    assert!(drawn.len() > 3, "seeds draw different ones");
    assert!(drawn.iter().all(|id| corpus.truth().unwrap().page(*id).unwrap().page_type == page_type));
    let error = example_of(&corpus, "forum:nonsense", Seed(1)).unwrap_err().to_string();
    assert!(error.contains("`forum:nonsense`") && error.contains(&*page_type), "{error}");
}

#[test]
fn an_experiment_gives_the_same_rows_on_one_thread_and_on_four() {
    let corpus = forum(120, 2);
    let contenders = Contender::all(&[RANDOM, PolicyKind::Ucc], &[Form::DEFAULT]);
    let ucc = Ucc { contenders, seeds: 3, budget: Some(20) };
    let one = measured(&ucc, &corpus, 1);
    assert_eq!(one, measured(&ucc, &corpus, 4));
    assert_eq!((one.rows.len(), one.curves.len(), one.curves[0].lines.len()), (6, 1, 2));
    let seeds: Vec<_> = one.rows.iter().map(|row| row.seed.unwrap()).collect();
    assert_eq!(seeds, [1, 2, 3, 1, 2, 3]);
    assert!(one.rows.iter().all(|row| row.measures[&Measure::Fetches] == 20.0 && row.budget == Some(20)));
}

#[test]
fn a_crawl_for_a_target_fetches_its_example_within_the_budget() {
    let corpus = forum(120, 2);
    let page_type = largest_type(&corpus);
    let example = example_of(&corpus, &page_type, Seed(1)).unwrap();
    for policy in policies() {
        let contender = Contender { policy, form: Form::DEFAULT };
        let task = Task::Target(Arc::clone(&page_type));
        let crawl = Crawl { examples: vec![example], ..Crawl::new(contender, task, 5, 1) };
        let crawled = crawl.run(&corpus, None).unwrap();
        assert_eq!(crawled.row.measures[&Measure::Fetches], 5.0, "{policy}");
        assert_eq!(crawled.row.target.as_deref(), Some(&*page_type));
        // Some draw among all queued URLs; these two begin with the starts.
        if [PolicyKind::Bfs, PolicyKind::Target].contains(&policy) {
            assert!(crawled.row.measures[&Measure::HarvestRate] >= 0.2, "{policy} has the example");
        }
    }
}

#[test]
fn complete_crawls_reach_the_same_targets_with_every_policy() {
    let corpus = forum(100, 5);
    let target = Target {
        contenders: Contender::all(&[PolicyKind::Bfs, RANDOM], &[]),
        seeds: 1,
        budget: Some(10),
        types: vec![largest_type(&corpus).to_string()],
        type_pages: 0,
        whole: true,
        examples: 1,
        validated: false,
    };
    let results = measured(&target, &corpus, 2);
    let whole: Vec<_> = results.rows.iter().filter(|row| row.task.contains("whole")).collect();
    assert_eq!((results.rows.len(), whole.len()), (4, 2));
    assert_eq!(whole[0].measures[&Measure::Recall], 1.0, "everything in a simulated world is linked");
    assert_eq!(whole[0].measures[&Measure::Recall], whole[1].measures[&Measure::Recall]);
    assert!(results.notes[0].contains("the targets are"));
    let paper = target.report(results).paper;
    assert!(paper.iter().any(|row| row.measures.get(&Measure::Recall) == Some(&0.9498)));
}

#[test]
fn with_a_validator_policies_find_accepted_pages_sooner_than_breadth_first() {
    let corpus = forum(400, 3);
    let target = Target {
        contenders: Contender::all(&[PolicyKind::Bfs, APPRENTICE, PolicyKind::Xcrawl], &[Form::DEFAULT]),
        seeds: 2,
        budget: None,
        types: vec!["forum:thread".to_owned()],
        type_pages: 0,
        whole: false,
        examples: 3,
        validated: true,
    };
    let rows = measured(&target, &corpus, 2).rows;
    let mean = |policy: &str| {
        let of: Vec<f64> =
            rows.iter().filter(|row| row.policy == policy).map(|row| row.measures[&Measure::Recall]).collect();
        assert_eq!(of.len(), 2);
        of.iter().sum::<f64>() / 2.0
    };
    let [bfs, apprentice, xcrawl] = ["bfs", "apprentice", "xcrawl"].map(mean);
    assert!(apprentice > bfs && xcrawl > bfs, "{bfs} {apprentice} {xcrawl}");
    assert_eq!(target.report(Results::default()).name, "xcrawl");
}

#[test]
fn methods_are_found_by_their_names() {
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    assert!("dbscan".parse::<Method>().unwrap_err().contains("expected one of paper, literal-eps"));
}

#[test]
fn clusters_split_by_url_are_purer_and_classify_their_own_pages() {
    let corpus = forum(200, 6);
    let sample = apath_sample(&corpus, 80, &mut Seed(1).rng());
    let whole = Clustered::of(Method::RichQuantile, &corpus, &sample);
    let split = Clustered::of(Method::Default, &corpus, &sample);
    for (one, other) in whole.labels().iter().zip(split.labels()) {
        assert!(one.is_some() || other.is_none(), "an outlier stays one");
    }
    for (at, one) in split.labels().iter().enumerate() {
        for (other_at, other) in split.labels().iter().enumerate() {
            let together = one.is_some() && one == other;
            assert!(!together || whole.labels()[at] == whole.labels()[other_at], "parts lie within clusters");
        }
    }
    let again = split.classify(&corpus, &sample);
    let same = again.iter().zip(split.parts()).filter(|(one, other)| **one == Some(*other)).count();
    assert!(same * 10 >= sample.len() * 9, "{same} of {}", sample.len());
    let none = Clustered::of(Method::Default, &corpus, &[]);
    assert_eq!((none.labels(), none.classify(&corpus, &sample[..1])), (&[][..], vec![None]));
}

#[test]
fn clusterings_and_classifications_are_measured_where_there_are_labels() {
    let corpus = forum(150, 7);
    let cluster = Cluster { methods: Method::ALL.to_vec(), sample: 60, others_max: 40, seeds: 2 };
    let rows = measured(&cluster, &corpus, 2).rows;
    assert_eq!(rows.len(), 14);
    for row in &rows {
        let has_radius = !["mdl", "irobot"].contains(&&*row.policy);
        assert!(row.measures.contains_key(&Measure::Purity));
        assert!(row.measures.contains_key(&Measure::MicroPrecision));
        assert_eq!(row.measures.contains_key(&Measure::Eps), has_radius, "{}", row.policy);
    }
    let rows = measured(&cluster, &unlabelled(150, 7), 2).rows;
    assert!(rows.iter().all(|row| row.measures[&Measure::Sample] == 60.0));
    assert!(
        rows.iter()
            .all(|row| row.measures.contains_key(&Measure::Clusters) && !row.measures.contains_key(&Measure::Purity))
    );
    let classify = Classify { methods: vec![Method::Default], sample: 60, seeds: 2 };
    let rows = measured(&classify, &corpus, 2).rows;
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.measures[&Measure::MicroPrecision] > 0.6), "{rows:?}");
    let few = Classify { sample: 3, ..classify };
    let error = few.measure(&corpus, &Workers::new(Some(1), &()), &mut Results::default()).unwrap_err();
    assert!(error.to_string().contains("too few pages"), "{error}");
}

#[test]
fn learned_clusters_are_reported_for_the_fetched_pages() {
    let corpus = forum(150, 8);
    let learned = |policy| {
        let plan = Plan::new(&corpus, Task::Ucc, 60);
        let mut snapshot = None;
        let policy = make(policy, &PolicyInputs::new(Seed(1)));
        let done = replay(&plan, policy, |_, _, crawl| snapshot = Some(crawl.snapshot())).unwrap();
        (clusters(&corpus, &done.order, &*snapshot.unwrap()), done)
    };
    let (sizes, done) = learned(PolicyKind::Ucc);
    assert!(sizes.len() > 1 && sizes.is_sorted_by(|one, other| one.pages >= other.pages));
    let pages = done.fetches.iter().filter(|fetched| fetched.new_page).count() as u64;
    assert_eq!(sizes.iter().map(|size| size.pages).sum::<u64>(), pages);
    assert!(sizes.iter().all(|size| size.mostly.as_ref().is_some_and(|(_, count)| *count <= size.pages)));
    assert_eq!(learned(PolicyKind::Bfs).0, [], "breadth-first learns no clusters");
}

#[test]
fn no_policy_harvests_more_than_the_bound_and_the_oracle_is_no_worse_than_any() {
    let corpus = forum(150, 3);
    let page_type = largest_type(&corpus);
    let least = corpus.truth().unwrap().types()[&page_type].pages;
    let rows = measured(&Oracle { seeds: 1, budget: Some(40), type_pages: least }, &corpus, 2).rows;
    let all: Vec<_> = policies().filter(|policy| *policy != SB).collect();
    for row in &rows {
        let task = row.target.as_ref().map_or(Task::Ucc, |name| Task::Target(name.as_str().into()));
        let examples: Vec<_> = row.target.iter().map(|name| example_of(&corpus, name, Seed(1)).unwrap()).collect();
        let (harvested, bound) = (row.measures[&Measure::Harvested], row.measures[&Measure::Bound]);
        assert!(0.0 < harvested && harvested <= bound && bound <= 40.0, "{row:?}");
        for policy in &all {
            let contender = Contender { policy: *policy, form: Form::DEFAULT };
            let crawl = Crawl { examples: examples.clone(), ..Crawl::new(contender, task.clone(), 40, 1) };
            let crawled = crawl.run(&corpus, None).unwrap().row;
            let ratio = if task == Task::Ucc { Measure::ValidRatioUnique } else { Measure::ValidRatio };
            let valid = crawled.measures[&ratio] * crawled.measures[&Measure::Fetches];
            assert!(valid <= harvested + 1e-9, "{policy} has {valid} of {harvested}");
        }
    }
    assert_eq!(rows.iter().map(|row| row.policy.as_str()).collect::<BTreeSet<_>>(), BTreeSet::from(["oracle"]));
    assert!(rows.len() >= 2, "{rows:?}");
    let experiment = Oracle { seeds: 1, budget: None, type_pages: 1 };
    let unknown = experiment.measure(&unlabelled(60, 3), &Workers::new(Some(1), &()), &mut Results::default());
    assert!(unknown.is_err(), "without labels nothing is wanted");
}
