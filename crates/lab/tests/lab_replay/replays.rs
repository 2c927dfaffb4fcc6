//! `harvestman-lab replay`.

use std::collections::BTreeSet;

use harvestman_lab::measures::Topic;

use super::recording::{Recording, forum, gallery, largest_type};

#[test]
fn the_same_seed_gives_the_same_order_for_every_policy_and_another_seed_another() {
    let recording = Recording::labelled();
    let target = largest_type();
    let order = |policy: &str, variant: &str, seed: &str| {
        let args = ["replay", "forum.warc", "--policy", policy, "--variant", variant, "--seed", seed];
        let more = ["--target", &target, "--pages", "60", "--sample", "25", "--order", "-"];
        let ran = recording.run(&[&args[..], &more].concat());
        assert_eq!(ran.code, Some(0), "{policy}: {}", ran.err);
        ran.out
    };
    let cases = ["bfs", "random", "opic", "irobot", "tpm", "sb", "ucc", "target"].map(|policy| (policy, "default"));
    for (policy, variant) in cases.into_iter().chain([("ucc", "paper"), ("target", "paper+free-sample")]) {
        let first = order(policy, variant, "3");
        assert_eq!(first, order(policy, variant, "3"), "{policy} {variant}");
        let urls: BTreeSet<&str> = first.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(urls.len(), first.lines().count(), "{policy} {variant}: each URL is requested once");
        // `target` also tries addresses that extend known ones, such as the second page of a thread that has one.
        let is_derived =
            |url: &str| policy == "target" && urls.iter().any(|known| *known != url && url.starts_with(known));
        let is_known = |url: &&str| forum().find(url).is_some() || is_derived(url);
        assert!(urls.len() <= 60 && urls.iter().all(is_known), "{policy} {variant}");
    }
    assert_ne!(order("random", "default", "3"), order("random", "default", "4"));
}

#[test]
fn a_replay_is_one_row_whose_figures_are_those_of_its_order() {
    let recording = Recording::labelled();
    let args = ["replay", "forum.warc", "--pages", "50", "--seed", "2", "--json", "-", "--order", "order.tsv"];
    let rows = recording.run(&args).rows();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    for (key, value) in [("corpus", "forum"), ("task", "ucc"), ("policy", "ucc"), ("variant", "default")] {
        assert_eq!(row[key], value);
    }
    assert_eq!((row["seed"].as_u64(), row["budget"].as_u64(), row["fetches"].as_u64()), (Some(2), Some(50), Some(50)));
    let order = std::fs::read_to_string(recording.path("order.tsv")).unwrap();
    let worth: Vec<_> = order.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    let share = |words: &[&str]| worth.iter().filter(|word| words.contains(*word)).count() as f64 / 50.0;
    assert_eq!(worth.len(), 50);
    for (measure, words) in [
        ("valid_ratio", &["valid", "view"][..]),
        ("valid_ratio_unique", &["valid"]),
        ("harvest_rate", &["valid", "view"]),
        ("page_ratio", &["valid", "view", "page"]),
    ] {
        assert!((row[measure].as_f64().unwrap() - share(words)).abs() < 1e-9, "{measure}: {row}");
    }
    for measure in ["recall", "recall_unique", "f", "entropy"] {
        assert!(row[measure].as_f64().is_some_and(|value| value >= 0.0), "{measure}: {row}");
    }
}

#[test]
fn a_replay_stops_where_too_little_is_expected() {
    let recording = Recording::labelled();
    let args = ["replay", "forum.warc", "--pages", "100000"];
    let early = ["--early-stop", "0.2", "--early-stop-requests", "20"];
    let whole = recording.run(&[&args[..], &["--json", "-"]].concat()).rows().remove(0);
    let stopped = recording.run(&[&args[..], &early, &["--json", "-"]].concat()).rows().remove(0);
    assert!(stopped["fetches"].as_u64() < whole["fetches"].as_u64(), "{stopped}");
    assert!(stopped["expected_yield"].as_f64().is_some_and(|share| share < 0.2), "{stopped}");
    assert!(stopped["recall_unique"].as_f64().is_some_and(|recall| recall > 0.9), "{stopped}");
    assert!(whole["expected_yield"].is_null());
    let told = recording.run(&[&args[..], &early].concat()).out;
    assert!(told.contains("; stopped, ") && told.contains("expected yield"), "{told}");
}

#[test]
fn people_are_told_what_came_and_what_was_learned() {
    let recording = Recording::labelled();
    let ran = recording.run(&["replay", "forum.warc", "--pages", "60"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for part in [
        "forum: policy ucc (default), seed 1",
        "wanted: user-created pages",
        "of at most 60",
        "valid, no views",
        "recall",
        "Fetched pages by cluster (",
    ] {
        assert!(ran.out.contains(part), "{part}\nis not in\n{}", ran.out);
    }
    let bfs = recording.run(&["replay", "forum.warc", "--pages", "100000", "--policy", "bfs"]);
    assert!(bfs.out.contains("the frontier is empty") && !bfs.out.contains("Fetched pages by cluster"), "{}", bfs.out);
}

#[test]
fn without_labels_there_is_what_needs_none() {
    let (labelled, unlabelled) = (Recording::labelled(), Recording::unlabelled());
    let plain = unlabelled.run(&["replay", "forum.warc", "--json", "-"]);
    assert!(plain.err.contains("no labels"), "{}", plain.err);
    let quarter = (forum().len() / 4) as u64;
    for ran in [plain, labelled.run(&["replay", "forum.warc", "--no-labels", "--json", "-"])] {
        let row = &ran.rows()[0];
        assert!(row["page_ratio"].is_number() && row["valid_ratio"].is_null() && row["entropy"].is_null(), "{row}");
        assert_eq!(row["budget"].as_u64(), Some(quarter));
    }
    let told = unlabelled.run(&["replay", "forum.warc"]).out;
    assert!(told.contains("number unknown: no labels") && !told.contains("recall"), "{told}");
}

#[test]
fn an_example_makes_its_type_the_target_and_the_number_of_its_pages_the_budget() {
    let recording = Recording::labelled();
    let (corpus, page_type) = (forum(), largest_type());
    let truth = corpus.truth().unwrap();
    let is_one = |id: &_| truth.page(*id).is_some_and(|label| *label.page_type == *page_type);
    let url = corpus.url(corpus.ids().find(is_one).unwrap()).as_str();
    let rows = recording.run(&["replay", "forum.warc", "--policy", "target", "--example", url, "--json", "-"]).rows();
    assert_eq!((rows[0]["task"].as_str(), rows[0]["target"].as_str()), (Some("target"), Some(&*page_type)));
    assert_eq!(rows[0]["budget"].as_u64(), Some(truth.types()[&*page_type].pages));
    assert!(rows[0]["harvest_rate"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_help_teaches_examples_budgets_and_variants() {
    let help = Recording::empty().run(&["replay", "--help"]).out;
    for part in ["Examples:", "Budget:", "min(5,000, N/4, W/2)", "paper-without-dsim", "+free-sample", "--order"] {
        assert!(help.contains(part), "{part}\nis not in\n{help}");
    }
}

#[test]
fn a_topic_is_replayed_and_its_items_are_counted() {
    let recording = Recording::gallery();
    let topic = Topic::of(gallery(), 1).remove(0);
    let tag = topic.tags[0].to_uppercase();
    let alone = Topic::named([&*tag]);
    let truth = gallery().truth().unwrap();
    let items = gallery().ids().filter_map(|id| truth.page(id)).filter(|label| alone.contains(label)).count();
    recording.write("tags", &format!("# one tag\n{tag}\n"));
    let row = |policy: &str, topic: &str| {
        let args = ["replay", "gallery.warc", "--policy", policy, "--topic", topic, "--pages", "200", "--json", "-"];
        recording.run(&args).rows().remove(0)
    };
    let [found, breadth_first] = ["topic", "bfs"].map(|policy| row(policy, &tag));
    assert_eq!((found["task"].as_str(), found["target"].as_str()), (Some("topic"), Some(&*topic.tags[0])));
    assert_eq!(found, row("topic", "@tags"));
    let (recall, ratio) = (found["recall"].as_f64().unwrap(), found["valid_ratio"].as_f64().unwrap());
    assert!((recall * items as f64 - ratio * 200.0).abs() < 1e-6, "{items} items: {found}");
    assert!(recall > 2.0 * breadth_first["recall"].as_f64().unwrap(), "{found} {breadth_first}");
    let order = recording.run(&["replay", "gallery.warc", "--topic", &tag, "--pages", "20", "--order", "-"]);
    assert_eq!(order.out.lines().count(), 20, "{order:?}");
}

#[test]
fn crawls_from_queries_start_from_the_examples_that_are_named() {
    let recording = Recording::labelled();
    let target = largest_type();
    let page = |type_: &str| {
        let truth = forum().truth().unwrap();
        let id = forum().ids().find(|id| truth.page(*id).is_some_and(|label| &*label.page_type == type_)).unwrap();
        forum().url(id).as_str()
    };
    let args = ["lab", "xcrawl", "forum.warc", "--queries", "--sites", "1", "--types", &target, "--policies", "xcrawl"];
    let run = |example: &str| {
        let more = ["--variants", "default", "--seeds", "1", "--budget", "60", "--json", "-", "--example", example];
        recording.run(&[&args[..], &more].concat())
    };
    let rows = run(page(&target)).rows();
    assert_eq!((rows.len(), rows[0]["budget"].as_u64()), (1, Some(60)), "{rows:?}");
    assert!(rows[0]["recall"].as_f64().is_some_and(|recall| recall > 0.0), "{rows:?}");
    run("http://elsewhere.example/").failed(1, &["http://elsewhere.example/ is not in forum", "name another example"]);
}
