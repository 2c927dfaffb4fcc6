//! A site is learned from a recording.

use harvestman::policy::learned::SiteModel;

use crate::recording::{Ran, Recording, forum};

fn model(recording: &Recording, name: &str) -> SiteModel {
    SiteModel::from_bytes(&std::fs::read(recording.path(name)).unwrap()).unwrap()
}

fn told(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    &ran.out
}

#[test]
fn a_recording_is_learned_and_told_and_its_model_is_what_site_shows() {
    let recording = Recording::unlabelled();
    let learned = recording.run(&["learn", "forum.warc", "--pages", "120", "--out", "m"]);
    let text = told(&learned);
    let facts = model(&recording, "m").facts;
    assert!(facts.pages > 80 && facts.pages <= 120, "{} pages", facts.pages);
    assert!(facts.clusters.iter().filter(|cluster| cluster.cluster.0 > 1).count() >= 2, "{text}");
    for cluster in &facts.clusters {
        let size = format!("{} pages, worth", cluster.pages);
        assert!(text.contains(&size), "{size} is not in\n{text}");
        assert!(cluster.examples.iter().all(|example| text.contains(example.as_str())), "{text}");
    }
    assert!(text.contains("at /html/body"), "places are spelt out:\n{text}");
    assert!(text.contains("`harvestman site m`"), "{text}");
    let shown = recording.run(&["site", "m"]);
    let (head, all) = (text.lines().next().unwrap(), told(&shown));
    assert!(all.starts_with(head) && all.len() > text.len() / 2, "{all}");
}

#[test]
fn the_same_seed_learns_the_same_model_and_replaces_the_one_that_is_there() {
    let recording = Recording::unlabelled();
    recording.write("b", "old");
    for out in ["a", "b"] {
        told(&recording.run(&["learn", "forum.warc", "--pages", "90", "--seed", "4", "--quiet", "--out", out]));
    }
    assert_eq!(model(&recording, "a"), model(&recording, "b"));
}

#[test]
fn with_an_example_it_learns_what_is_worth_something_to_a_crawl_for_pages_like_it() {
    let recording = Recording::unlabelled();
    let corpus = forum();
    let is_member = |id: &_| {
        let url = corpus.url(*id).as_str();
        corpus.page(*id).is_page() && url.split_once("/members/").is_some_and(|(_, name)| name.ends_with('/'))
    };
    let url = corpus.url(corpus.ids().find(is_member).expect("a member's page")).as_str();
    let example = ["--pages", "120", "--quiet", "--out", "like", "--example", url];
    told(&recording.run(&[&["learn", "forum.warc"][..], &example].concat()));
    told(&recording.run(&["learn", "forum.warc", "--pages", "120", "--quiet", "--out", "ucc"]));
    assert_ne!(model(&recording, "like"), model(&recording, "ucc"));
}

#[test]
fn a_cluster_graph_is_learned_from_a_recording_and_shown() {
    let recording = Recording::unlabelled();
    for (out, form) in [("url", &[][..]), ("structure", &[]), ("both", &[]), ("url", &["--variant", "paper"])] {
        let learn = ["learn", "forum.warc", "--pages", "400", "--quiet", "--by", out, "--out", out];
        let ran = recording.run(&[&learn[..], form].concat());
        assert!(told(&ran).contains("page types; `harvestman site"), "{}", ran.out);
        let model = model(&recording, out);
        assert!(model.graph().is_some() && model.facts.kinds.len() > 1, "{out}: {:?}", model.facts);
        let shown = recording.run(&["site", out]).out;
        assert!(shown.contains("\npage type 1: ") && shown.contains("  leads to "), "{shown}");
        let dot = recording.run(&["site", out, "--format", "dot"]).out;
        assert!(dot.contains("  k1 [label=") && dot.contains(" -> k"), "{dot}");
    }
}

#[test]
fn too_few_pages_for_templates_are_no_failure_but_are_told() {
    let recording = Recording::unlabelled();
    let ran = recording.run(&["learn", "forum.warc", "--pages", "3", "--out", "m"]);
    assert!(told(&ran).contains("allow more pages with --pages") && ran.out.contains("not clustered"), "{}", ran.out);
}
