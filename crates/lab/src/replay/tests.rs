//! Replays of a simulated forum, under every policy and variant.

use crate::replay::policies;
use harvestman_core::config::PolicyKind;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};

fn forum(pages: u64) -> Arc<Corpus> {
    let families = vec![Family::Forum];
    let options = WorldOptions { pages, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    Arc::new(Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap())
}

fn crawl(corpus: &Arc<Corpus>, making: &PolicyInputs<'_>, name: PolicyKind, sample_free: Option<usize>) -> Replay {
    let plan = Plan { sample_free, ..Plan::new(corpus, Task::Ucc, 60) };
    replay(&plan, make(name, making), |_, _, _| {}).unwrap()
}

#[test]
fn each_policy_and_variant_crawls_from_the_seed_within_the_budget_and_each_url_once() {
    let corpus = forum(150);
    let some_page = corpus.ids().filter(|id| corpus.page(*id).is_page()).last().unwrap();
    let example = ExamplePage::of(&corpus, some_page);
    let others = policies().map(|name| (name, Variant::Default));
    let variants = Variant::ALL.into_iter().flat_map(|v| [(PolicyKind::Ucc, v), (PolicyKind::Target, v)]);
    let xcrawl = Variant::ALL.into_iter().map(|variant| (PolicyKind::Xcrawl, variant));
    for (name, variant) in
        others.into_iter().chain(variants).chain(xcrawl).filter(|(name, variant)| variant.is_of(*name))
    {
        let making = PolicyInputs {
            variant,
            example: (name == PolicyKind::Target).then_some(&example),
            sample_pages: Some(20),
            ..PolicyInputs::new(Seed(1))
        };
        let done = crawl(&corpus, &making, name, None);
        assert_eq!((done.order[0].page, done.sampled), (Some(corpus.seed()), 0), "{name} {variant}");
        let distinct: BTreeSet<&str> = done.order.iter().map(|request| request.url.as_str()).collect();
        assert!(distinct.len() == done.order.len() && done.order.len() <= 60, "{name} {variant}");
    }
}

#[test]
fn a_free_sample_is_taken_before_the_crawl_starts() {
    let corpus = forum(400);
    let making = |variant| PolicyInputs { variant, sample_pages: Some(50), ..PolicyInputs::new(Seed(1)) };
    let counted = crawl(&corpus, &making(Variant::Paper), PolicyKind::Ucc, None);
    let free = crawl(&corpus, &making(Variant::Paper), PolicyKind::Ucc, Some(1000));
    assert!(free.sampled >= 50, "{}", free.sampled);
    assert_eq!((free.order.len(), free.order[0].page), (60, Some(corpus.seed())));
    assert_eq!(free.note, counted.note, "it is the same sample");
    assert!(free.note.as_ref().unwrap().starts_with("learned from 50 pages"), "{:?}", free.note);
    assert_ne!(free.order, counted.order);
    let interrupted = crawl(&corpus, &making(Variant::Paper), PolicyKind::Ucc, Some(10));
    assert_eq!(interrupted.sampled, 10, "its own budget holds");
    let breadth_first = |sample_free| crawl(&corpus, &making(Variant::Default), PolicyKind::Bfs, sample_free);
    assert_eq!(breadth_first(Some(1000)).order, breadth_first(None).order, "it takes no sample");
}

#[test]
fn a_cluster_graph_excludes_the_forms_and_permalinks_of_a_forum() {
    let corpus = forum(400);
    let plan = Plan::new(&corpus, Task::Ucc, 2_000);
    let done = replay(&plan, make(PolicyKind::ClusterGraph, &PolicyInputs::new(Seed(1))), |_, _, _| {}).unwrap();
    let useless = ["/login", "/reply", "/post-", "/latest", "sort="];
    let parted = |done: &Replay| -> (BTreeSet<String>, BTreeSet<String>) {
        let urls = done.order.iter().map(|request| request.url.as_str().to_owned());
        urls.partition(|url| useless.iter().any(|part| url.contains(part)))
    };
    let (bad, good) = parted(&done);
    let (all_bad, all_good) = parted(&crawl_all(&corpus, PolicyKind::Bfs));
    assert!(good.len() * 20 >= all_good.len() * 19, "missed: {:?}", all_good.difference(&good).collect::<Vec<_>>());
    assert!(bad.len() * 2 <= all_bad.len(), "{} of {}", bad.len(), all_bad.len());
}

#[test]
fn without_the_filter_a_cluster_graph_excludes_nothing() {
    let corpus = forum(400);
    let making = PolicyInputs { sample_pages: Some(60), ..PolicyInputs::new(Seed(1)) };
    let fetched = |order| {
        let plan = Plan { order, ..Plan::new(&corpus, Task::Ucc, 2_000) };
        let done = replay(&plan, make(PolicyKind::ClusterGraph, &making), |_, _, _| {}).unwrap();
        done.order.iter().map(|request| request.url.as_str().to_owned()).collect::<BTreeSet<_>>()
    };
    let breadth_first = crawl_all(&corpus, PolicyKind::Bfs);
    let all: BTreeSet<_> = breadth_first.order.iter().map(|request| request.url.as_str().to_owned()).collect();
    assert_eq!(fetched(FilterOrder::DupOnly), all);
    assert!(fetched(FilterOrder::DupGraph).len() < all.len());
}

fn crawl_all(corpus: &Arc<Corpus>, name: PolicyKind) -> Replay {
    replay(&Plan::new(corpus, Task::Ucc, 2_000), make(name, &PolicyInputs::new(Seed(1))), |_, _, _| {}).unwrap()
}

#[test]
fn a_site_too_small_to_learn_from_is_crawled_completely_with_a_note() {
    let corpus = forum(400);
    let making = PolicyInputs { variant: Variant::Paper, sample_pages: Some(3), ..PolicyInputs::new(Seed(1)) };
    let done = crawl(&corpus, &making, PolicyKind::Ucc, None);
    assert_eq!(done.order.len(), 60);
    assert!(done.note.unwrap().starts_with("the sample has only 3 pages"));
}

#[test]
fn tag_paths_are_spelt_out_on_request() {
    let corpus = forum(60);
    let spelling = spelling(&corpus);
    let stored = corpus.page(corpus.seed());
    let page = harvestman_structure::parse::Parser::new(&harvestman_core::config::ParseOptions::default())
        .parse(&stored.body, stored.content_type());
    let spelt = page.groups.iter().map(|group| spelling(group.apath).unwrap());
    assert!(!page.groups.is_empty() && spelt.into_iter().all(|path| path.starts_with("/html/body/")));
    assert_eq!(spelling(harvestman_core::model::Apath(77)), None);
}
