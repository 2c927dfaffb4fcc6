//! What is wrong is said, with what to do about it.

use super::recording::{Recording, forum};

#[test]
fn a_file_that_is_missing_is_named() {
    let recording = Recording::labelled();
    recording.run(&["replay", "none.warc.gz"]).failed(1, &["cannot open none.warc.gz"]);
    recording.run(&["replay", "forum.warc", "--labels", "none.csv"]).failed(1, &["cannot open none.csv"]);
    recording.run(&["lab", "ucc", "forum.warc", "none.warc"]).failed(2, &["cannot open none.warc"]);
}

#[test]
fn a_file_that_is_no_warc_is_told_from_one_that_is() {
    let recording = Recording::empty();
    recording.write("page.warc", "<html><body>Hello</body></html>\n");
    recording.run(&["replay", "page.warc"]).failed(1, &["page.warc", "harvestman inspect warc"]);
    recording.run(&["lab", "cluster", "page.warc"]).failed(1, &["page.warc", "harvestman inspect warc"]);
    recording.write("empty.warc", "");
    recording.run(&["replay", "empty.warc"]).failed(1, &["no HTML page with status 200"]);
}

#[test]
fn labels_of_another_recording_are_refused() {
    let recording = Recording::unlabelled();
    recording.write("other.csv", "url,page_type,is_ucc\nhttp://elsewhere.example/,thread,1\n");
    recording
        .run(&["replay", "forum.warc", "--labels", "other.csv"])
        .failed(1, &["0 of 1 labelled URLs", "right file"]);
    recording.write("forum.labels.csv", "address,kind\nx,y\n");
    recording.run(&["replay", "forum.warc"]).failed(1, &["no column `url`", "address, kind"]);
}

#[test]
fn a_recording_that_is_cut_in_the_middle_is_read_up_to_there_with_a_note() {
    let recording = Recording::labelled();
    let whole = std::fs::read(recording.path("forum.warc")).unwrap();
    std::fs::write(recording.path("forum.warc"), &whole[..whole.len() / 2 + 7]).unwrap();
    let ran = recording.run(&["replay", "forum.warc", "--json", "-"]);
    assert!(ran.err.contains("the file ends within the record at byte"), "{}", ran.err);
    assert!(ran.rows()[0]["pages"].as_u64().unwrap() > 5);
}

#[test]
fn a_recording_without_a_page_says_what_it_holds_instead() {
    let recording = Recording::empty();
    let message = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno";
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
        WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\nContent-Length: {}\r\n\r\n{message}\r\n\r\n",
        message.len()
    );
    recording.write("errors.warc", &record);
    recording.run(&["replay", "errors.warc"]).failed(1, &["errors: no HTML page", "1 responses"]);
}

#[test]
fn names_that_are_unknown_are_answered_with_those_that_are_known() {
    let recording = Recording::labelled();
    recording.run(&["replay", "forum.warc", "--policy", "dfs"]).failed(2, &["unknown policy dfs", "bfs, ucc, target"]);
    recording
        .run(&["replay", "forum.warc", "--variant", "papre"])
        .failed(2, &["unknown variant papre", "default, paper"]);
    recording.run(&["lab", "ucc", "forum.warc", "--policies", "bfs,dfs"]).failed(2, &["unknown policy dfs"]);
    recording
        .run(&["lab", "cluster", "forum.warc", "--methods", "kmeans"])
        .failed(2, &["unknown clustering kmeans", "mdl"]);
}

#[test]
fn a_variant_of_a_policy_that_has_none_is_a_mistake() {
    let recording = Recording::labelled();
    let args = ["replay", "forum.warc", "--policy", "bfs", "--variant", "paper"];
    recording.run(&args).failed(2, &["bfs has no variants", "ucc, target, xcrawl and cluster-graph"]);
    let args = ["replay", "forum.warc", "--policy", "ucc", "--variant", "paper-hits"];
    recording.run(&args).failed(2, &["ucc has no variant paper-hits", "paper-l1"]);
}

#[test]
fn a_target_needs_an_example_that_is_a_page_or_a_type_that_has_one() {
    let recording = Recording::labelled();
    let run = |more: &[&str]| recording.run(&[&["replay", "forum.warc", "--policy", "target"][..], more].concat());
    run(&[]).failed(2, &["--example URL", "--target TYPE"]);
    run(&["--example", "http://elsewhere.example/"]).failed(2, &["http://elsewhere.example/ is not in forum"]);
    run(&["--target", "nonsense"]).failed(2, &["no page of the type `nonsense`", "the types with the most pages: "]);
    let broken = forum().ids().find(|id| forum().page(*id).status / 100 == 3).unwrap();
    run(&["--example", forum().url(broken).as_str()]).failed(2, &["is not an HTML page with status 200 (status 3"]);
    let unlabelled = Recording::unlabelled();
    let args = ["replay", "forum.warc", "--policy", "target", "--target", "nonsense"];
    unlabelled.run(&args).failed(2, &["forum has no labels", "--labels FILE"]);
}

#[test]
fn a_topic_needs_a_tag() {
    let recording = Recording::labelled();
    let run = |more: &[&str]| recording.run(&[&["replay", "forum.warc"][..], more].concat());
    run(&["--policy", "topic"]).failed(2, &["the policy topic requires a topic", "--topic TAG"]);
    run(&["--policy", "topic", "--topic", " "]).failed(2, &["--topic names no tag"]);
    run(&["--topic", "@none"]).failed(2, &["cannot read the topic from none"]);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let recording = Recording::labelled();
    recording.run(&["replay", "forum.warc", "--pages", "0"]).failed(2, &["--pages"]);
    recording.run(&["lab", "ucc", "forum.warc", "--seeds", "0"]).failed(2, &["--seeds"]);
    recording.run(&["lab", "ucc", "forum.warc", "--labels", "a", "--labels", "b"]).failed(2, &["2 label files for 1"]);
    recording.run(&["lab", "ucc"]).failed(2, &["<CORPUS>"]);
}

#[test]
fn an_early_stop_needs_a_share_and_a_policy_that_looks_ahead() {
    let recording = Recording::labelled();
    let run = |more: &[&str]| recording.run(&[&["replay", "forum.warc", "--early-stop"][..], more].concat());
    let lab = ["lab", "early-stop", "forum.warc", "--shares", "0.5,7"];
    recording.run(&lab).failed(2, &["--shares", "a number from 0 to 1"]);
    run(&["2"]).failed(2, &["--early-stop", "a number from 0 to 1"]);
    for more in [&["0.1", "--policy", "bfs"], &["0.1", "--variant", "paper"]] {
        run(more).failed(2, &["--early-stop requires a policy with a yield forecast", "ucc, target or xcrawl"]);
    }
    let crawl = |more: &[&str]| {
        let args = ["crawl", "http://localhost:9/", "--out", "crawl", "--early-stop"];
        recording.run(&[&args[..], more].concat())
    };
    crawl(&["1.5", "--policy", "ucc"]).failed(2, &["1.5 is not a share of the requests"]);
    let can = "all others but `bfs` can";
    crawl(&["0.1"]).failed(2, &["--early-stop", "the policy `bfs` cannot estimate", can]);
    crawl(&["0.1", "--policy", "ucc", "--variant", "paper"])
        .failed(2, &["the policy `ucc:paper` cannot estimate", can]);
    let ahead = ["0.1", "--policy", "ucc", "--set", "budget.early_stop_requests=100"];
    crawl(&ahead).failed(2, &["`budget.early_stop_requests` is no longer a setting: its value is fixed at 200"]);
    assert!(!recording.path("crawl").exists());
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let recording = Recording::labelled();
    let args = ["replay", "forum.warc", "--pages", "5", "--json", "missing/rows.json"];
    recording.run(&args).failed(4, &["cannot write missing/rows.json"]);
    let args =
        ["lab", "ucc", "forum.warc", "--seeds", "1", "--budget", "5", "--policies", "bfs", "--out", "forum.warc/out"];
    recording.run(&args).failed(4, &["cannot write forum.warc/out"]);
}
