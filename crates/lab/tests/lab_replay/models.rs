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
fn a_cluster_graph_is_learned_from_a_recording_and_shown() {
    let recording = Recording::unlabelled();
    for (name, form) in
        [("url", "default"), ("structure", "default+structure"), ("both", "default+both"), ("paper", "paper")]
    {
        let more = ["--policy", "cluster-graph", "--variant", form, "--pages", "400"];
        let replay = ["replay", "forum.warc", "--no-labels", "--write-model", name];
        let ran = recording.run(&[&replay[..], &more].concat());
        assert_eq!(ran.code, Some(0), "{form}: {}", ran.err);
        let model = SiteModel::from_bytes(&std::fs::read(recording.path(name)).unwrap()).unwrap();
        assert!(model.graph().is_some() && model.facts.kinds.len() > 1, "{form}: {:?}", model.facts);
        let shown = recording.run(&["inspect", "site", name]).out;
        assert!(shown.contains("\npage type 1: ") && shown.contains("  leads to "), "{shown}");
        let dot = recording.run(&["inspect", "site", name, "--format", "dot"]).out;
        assert!(dot.contains("  k1 [label=") && dot.contains(" -> k"), "{dot}");
    }
}

#[test]
fn a_policy_that_learns_nothing_writes_no_model() {
    let recording = Recording::unlabelled();
    let replay = ["replay", "forum.warc", "--policy", "bfs", "--pages", "20", "--no-labels", "--write-model", "m"];
    recording.run(&replay).failed(1, &["learned nothing of the site"]);
    assert!(!recording.path("m").exists());
}
