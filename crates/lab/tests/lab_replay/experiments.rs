//! `harvestman-lab lab`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::recording::{Recording, labels, largest_type};

/// What the rows have under a key, each once.
fn distinct<'a>(rows: &'a [Value], key: &str) -> BTreeSet<&'a str> {
    rows.iter().filter_map(|row| row[key].as_str()).collect()
}

#[test]
fn crawls_for_user_created_content_are_compared_policy_by_policy() {
    let recording = Recording::labelled();
    let args = ["lab", "ucc", "forum.warc", "--seeds", "2", "--budget", "30", "--json", "-"];
    let rows = recording.run(&args).rows();
    assert_eq!(rows.len(), 2 * 7, "four without variants, ucc in three forms");
    assert_eq!(distinct(&rows, "policy"), BTreeSet::from(["bfs", "random", "irobot", "opic", "ucc"]));
    assert_eq!(distinct(&rows, "variant"), BTreeSet::from(["default", "paper", "paper+free-sample"]));
    for row in &rows {
        for measure in ["valid_ratio", "valid_ratio_unique", "recall", "recall_unique", "f", "harvest_rate", "entropy"]
        {
            assert!(row[measure].is_number(), "{measure} is not in {row}");
        }
        assert_eq!(row["budget"], 30);
    }
    let bfs: Vec<_> = rows.iter().filter(|row| row["policy"] == "bfs").collect();
    assert_eq!(bfs[0]["valid_ratio"], bfs[1]["valid_ratio"], "no seed changes breadth-first order");
}

#[test]
fn the_threads_make_no_difference() {
    let recording = Recording::labelled();
    let run = |threads: &str| {
        let args = ["lab", "ucc", "forum.warc", "--seeds", "2", "--budget", "40", "--policies", "random,ucc"];
        let more = ["--variants", "default,paper", "--json", "-", "--threads", threads];
        recording.run(&[&args[..], &more].concat()).rows()
    };
    assert_eq!(run("1"), run("4"));
}

#[test]
fn a_report_has_tables_and_plots_with_the_papers_figures_beside() {
    let recording = Recording::labelled();
    let args = ["lab", "ucc", "forum.warc", "--seeds", "2", "--budget", "20", "--policies", "bfs,random", "--out", "r"];
    let ran = recording.run(&args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("±") && ran.out.contains("SOUrCe") && ran.out.contains("0.9989"), "{}", ran.out);
    for file in ["ucc.json", "ucc-rows.csv", "ucc-summary.csv", "ucc.md", "ucc.html"] {
        assert!(std::fs::metadata(recording.path("r").join(file)).unwrap().len() > 100, "{file}");
    }
    let page = std::fs::read_to_string(recording.path("r/ucc.html")).unwrap();
    assert!(page.contains("0.9989") && page.matches("<figure>").count() >= 6);
    assert!(page.contains("<svg"));
}

#[test]
fn targets_are_the_types_that_are_named() {
    let recording = Recording::labelled();
    let target = largest_type();
    let args = ["lab", "target", "forum.warc", "--seeds", "1", "--types", &target, "--whole", "--json", "-"];
    let rows = recording.run(&[&args[..], &["--policies", "bfs,target", "--variants", "default"]].concat()).rows();
    assert_eq!(rows.len(), 4, "each crawl twice");
    assert_eq!(distinct(&rows, "target"), BTreeSet::from([&*target]));
    let whole: Vec<_> = rows.iter().filter(|row| row["task"] == "target, whole corpus").collect();
    assert_eq!((whole[0]["recall"].as_f64(), whole[1]["recall"].as_f64()), (Some(1.0), Some(1.0)));
    let default = recording.run(&["lab", "target", "forum.warc", "--type-pages", "100000"]);
    default.failed(1, &["--types", "--type-pages", &target]);
}

#[test]
fn samples_and_terms_are_varied() {
    let recording = Recording::labelled();
    let args = ["lab", "samples", "forum.warc", "--seeds", "1", "--budget", "30", "--sizes", "15,40", "--json", "-"];
    let rows = recording.run(&args).rows();
    assert_eq!(rows.len(), 6);
    assert!(distinct(&rows, "variant").contains("default, 15 pages"));
    let args = ["lab", "ablation", "forum.warc", "--seeds", "1", "--budget", "30", "--json", "-"];
    let rows = recording.run(&args).rows();
    let terms = ["info", "dsim", "balance"].map(|term| format!("paper-without-{term}+free-sample"));
    let expected: BTreeSet<_> = terms.iter().map(String::as_str).chain(["paper+free-sample"]).collect();
    assert_eq!(distinct(&rows, "variant"), expected);
}

#[test]
fn what_a_look_ahead_expects_is_measured_against_what_came() {
    let recording = Recording::labelled();
    let args = ["lab", "early-stop", "forum.warc", "--seeds", "2", "--requests", "20", "--type-pages", "20"];
    let rows = recording.run(&[&args[..], &["--shares", "0.5,0.01", "--json", "-"]].concat()).rows();
    assert_eq!(distinct(&rows, "policy"), BTreeSet::from(["target", "ucc"]));
    assert_eq!(distinct(&rows, "variant"), BTreeSet::from(["to the end", "below 0.5", "below 0.01"]));
    let of = |variant: &str| -> Vec<&Value> { rows.iter().filter(|row| row["variant"] == variant).collect() };
    assert!(of("to the end").iter().all(|whole| whole["yield_error"].is_number() && whole["yield_bias"].is_number()));
    // Some targets are nothing but duplicate views.
    for whole in of("to the end").iter().filter(|row| row["policy"] == "ucc") {
        assert!(whole["yield_error"].as_f64().is_some_and(|error| error < 0.5), "{whole}");
        assert!(whole["recall_unique"].as_f64().is_some_and(|recall| recall > 0.95), "{whole}");
    }
    let requests = |variant: &str| of(variant).iter().map(|row| row["fetches"].as_f64().unwrap()).sum::<f64>();
    assert!(requests("below 0.5") <= requests("below 0.01") && requests("below 0.01") <= requests("to the end"));
    assert!(requests("below 0.5") < requests("to the end"), "a forum has pages that nobody wants");
    for stopped in of("below 0.5").iter().filter(|row| row["expected_yield"].is_number()) {
        assert!(stopped["expected_yield"].as_f64().unwrap() < 0.5, "{stopped}");
    }
}

#[test]
fn clusterings_and_classifications_are_measured() {
    let recording = Recording::labelled();
    let args = ["lab", "cluster", "forum.warc", "--seeds", "1", "--sample", "60", "--json", "-"];
    let rows = recording.run(&args).rows();
    assert_eq!(rows.len(), 7);
    for row in &rows {
        for measure in ["sample", "types", "clusters", "outliers", "purity", "micro_f", "macro_f"] {
            assert!(row[measure].is_number(), "{measure} is not in {row}");
        }
    }
    let args = ["lab", "classify", "forum.warc", "--seeds", "1", "--sample", "60", "--json", "-"];
    let rows = recording.run(&args).rows();
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row["micro_precision"].is_number() && row["macro_precision"].is_number()));
}

#[test]
fn what_a_corpus_lacks_leaves_it_out_and_the_others_in() {
    let recording = Recording::labelled();
    std::fs::copy(recording.path("forum.warc"), recording.path("bare.warc")).unwrap();
    let args = ["lab", "classify", "bare.warc", "forum.warc", "--seeds", "1", "--sample", "40", "--methods", "paper"];
    let ran = recording.run(&args);
    ran.failed(1, &["skipped: bare has no labels", "bare.labels.csv", "1 of 2 corpora were skipped"]);
    assert!(ran.out.contains("forum") && !ran.out.contains("bare"), "{}", ran.out);
    recording.run(&["lab", "classify", "bare.warc"]).failed(1, &["bare has no labels"]);
    recording.run(&["lab", "target", "bare.warc"]).failed(1, &["bare has no labels"]);
    let args = ["lab", "ucc", "bare.warc", "--seeds", "1", "--policies", "bfs", "--json", "-"];
    let rows = recording.run(&args).rows();
    assert!(rows[0]["page_ratio"].is_number() && rows[0]["valid_ratio"].is_null());
}

#[test]
fn labels_are_given_corpus_by_corpus() {
    let recording = Recording::unlabelled();
    recording.write("truth.csv", &labels());
    let args = ["lab", "cluster", "forum.warc", "--labels", "truth.csv", "--seeds", "1", "--sample", "30"];
    let rows = recording.run(&[&args[..], &["--methods", "paper", "--json", "rows.json"]].concat());
    assert_eq!(rows.code, Some(0), "{}", rows.err);
    assert!(rows.out.contains("purity"), "with a file, the table is printed too: {}", rows.out);
    let written = std::fs::read_to_string(recording.path("rows.json")).unwrap();
    assert!(written.contains("\"purity\""), "{written}");
}

#[test]
fn every_help_teaches_by_example() {
    for experiment in ["cluster", "classify", "ucc", "target", "samples", "ablation", "early-stop"] {
        let help = Recording::empty().run(&["lab", experiment, "--help"]).out;
        assert!(help.contains("Example") && help.contains(&format!("harvestman-lab lab {experiment} ")), "{help}");
    }
    let help = Recording::empty().run(&["lab", "--help"]).out;
    for part in ["is_duplicate_view", "+free-sample", "beside"] {
        assert!(help.contains(part), "{part}\nis not in\n{help}");
    }
}
