//! What a replay learns of a recorded site is written as a model, which `inspect site` shows and crawls start from.

use harvestman::policy::learned::SiteModel;

use crate::recording::Recording;

fn learned(recording: &Recording, more: &[&str], name: &str) -> SiteModel {
    let replay = ["replay", "forum.warc", "--pages", "120", "--no-labels", "--write-model", name];
    let ran = recording.run(&[&replay[..], more].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    SiteModel::from_bytes(&std::fs::read(recording.path(name)).unwrap()).unwrap()
}

#[test]
fn a_recording_is_learned_and_its_model_is_shown() {
    let recording = Recording::unlabelled();
    let facts = learned(&recording, &[], "m").facts;
    assert!(facts.pages > 80 && facts.pages <= 120, "{} pages", facts.pages);
    assert!(facts.clusters.iter().filter(|cluster| cluster.cluster.0 > 1).count() >= 2, "{facts:?}");
    let shown = recording.run(&["inspect", "site", "m"]).out;
    for cluster in &facts.clusters {
        let size = format!("{} pages, worth", cluster.pages);
        assert!(shown.contains(&size), "{size} is not in\n{shown}");
    }
    assert!(shown.contains("at /html/body"), "places are spelt out:\n{shown}");
}

#[test]
fn the_same_seed_learns_the_same_model_and_replaces_the_one_that_is_there() {
    let recording = Recording::unlabelled();
    recording.write("b", "old");
    let [one, other] = ["a", "b"].map(|name| learned(&recording, &["--seed", "4"], name));
    assert_eq!(one, other);
}

#[test]
fn a_model_of_a_cluster_graph_says_which_links_are_refused() {
    let recording = Recording::unlabelled();
    let replay = ["replay", "forum.warc", "--policy", "cluster-graph", "--pages", "400", "--no-labels"];
    let ran = recording.run(&[&replay[..], &["--write-model", "m"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let facts = SiteModel::from_bytes(&std::fs::read(recording.path("m")).unwrap()).unwrap().facts;
    let classes = || facts.clusters.iter().flat_map(|cluster| &cluster.classes);
    assert!(classes().any(|class| class.refused) && classes().any(|class| !class.refused), "{facts:?}");
    let shown = recording.run(&["inspect", "site", "m"]).out;
    assert!(shown.lines().any(|line| line.ends_with("  refused")), "{shown}");
    let graph = recording.run(&["inspect", "site", "m", "--format", "graphml"]).out;
    assert!(graph.contains("<data key=\"refused\">"), "{graph}");
}

#[test]
fn a_policy_that_learns_nothing_writes_no_model() {
    let recording = Recording::unlabelled();
    let replay = ["replay", "forum.warc", "--policy", "bfs", "--pages", "20", "--no-labels", "--write-model", "m"];
    recording.run(&replay).failed(1, &["learned nothing of the site"]);
    assert!(!recording.path("m").exists());
}
