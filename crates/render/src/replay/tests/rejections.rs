//! Requests that cannot be replayed, and parameters without meaning.

use super::*;

/// Three pages of a site with one request each.
fn three(request: impl Fn(usize) -> String) -> Vec<Sample> {
    let page = |at: usize| sample(&format!("https://h.example/t/{}", 17 + at * at), "", &[(&request(at), "{\"a\":1}")]);
    (0..3).map(page).collect()
}

#[test]
fn a_signed_url_is_not_replayable() {
    let signatures = ["k3J9x", "Qw8rT", "Zz10p"];
    let learned = learn(&three(|at| format!("https://h.example/api/t/{}?sig={}", 17 + at * at, signatures[at])));
    assert_eq!(learned.template.slots, []);
    assert_eq!(learned.rejected.len(), 1);
    assert_eq!(learned.rejected[0].1, Why::Token("parameter sig".into()));
    assert_eq!(learned.rejected[0].1.to_string(), "parameter sig looks like a token or a signature");
}

#[test]
fn an_unexplained_part_is_reported_with_examples() {
    let learned = learn(&three(|at| format!("https://h.example/api?order={}", ["mm", "qq", "cc"][at])));
    let why = Why::Unexplained("parameter order".into(), ["cc", "mm", "qq"].map(str::to_owned).to_vec());
    assert_eq!(learned.rejected, [("https://h.example/api?order=".to_owned(), why)]);
}

#[test]
fn posts_sockets_and_rare_requests_are_not_replayable() {
    let mut samples = three(|_| "wss://h.example/s".into());
    samples.iter_mut().for_each(|sample| sample.requests[0].kind = SampleKind::Socket);
    assert_eq!(learn(&samples).rejected[0].1, Why::Socket);
    let mut samples = three(|_| "https://h.example/s".into());
    samples.iter_mut().for_each(|sample| sample.requests[0].kind = SampleKind::Post);
    assert_eq!(learn(&samples).rejected[0].1, Why::Post);
    let samples = three(|_| "https://h.example/s".into());
    assert_eq!(learn(&samples[..2]).rejected[0].1, Why::TooFewSamples(2));
    assert!(learn(&[]).template.slots.is_empty());
}

#[test]
fn useless_requests_are_neither_learned_nor_reported() {
    let mut samples = three(|at| format!("https://h.example/api?order={}", ["mm", "qq", "cc"][at]));
    samples.iter_mut().for_each(|sample| sample.requests[0].is_useful = false);
    let learned = learn(&samples);
    assert!(learned.rejected.is_empty() && learned.template.slots.is_empty());
}

#[test]
fn times_in_a_parameter_are_left_out() {
    let samples = three(|at| format!("https://h.example/api/t/{}?_=169999999{at}", 17 + at * at));
    let learned = learn(&samples);
    assert_eq!(learned.rejected, []);
    let made = replay(&learned.template, "https://h.example/t/5", "", &Answers::new());
    assert_eq!(made, ["https://h.example/api/t/5"]);
    let filled = learned.template.with_sampled_values();
    assert_eq!(
        replay(&filled, "https://h.example/t/5", "", &Answers::new()),
        ["https://h.example/api/t/5?_=1699999990"]
    );
}
