use super::*;
use harvestman_core::model::Initiator;
use harvestman_pipeline::{PageContent, PageDifference};
use harvestman_render::{Gain, PageRequest, Refusal, RequestKind, RequestNote};

const URL: &str = "http://h.test/t?a=1&b=2";

fn rendered(gain: Gain, outcomes: &[Result<u16, Refusal>]) -> RenderedTrial {
    let (url, method) = ("http://h.test/api".to_owned(), "GET".to_owned());
    let request =
        PageRequest { url, kind: RequestKind::Fetch, method, headers: Vec::new(), initiator: Initiator::Unknown };
    let note = |outcome: &Result<u16, Refusal>| RequestNote {
        request: request.clone(),
        outcome: *outcome,
        content_type: None,
        body: Vec::new().into(),
    };
    let page = RenderedPage { requests: outcomes.iter().map(note).collect(), ..RenderedPage::default() };
    let links_added = (0..gain.links).map(|link| link.to_string()).collect();
    let difference = PageDifference { links_added, words_added: gain.words as usize, ..PageDifference::default() };
    RenderedTrial { page, content: PageContent::default(), difference, gain }
}

fn judged(links: u32, words: u32, outcomes: &[Result<u16, Refusal>]) -> Judgement {
    Judgement::of_rendered(URL, &rendered(Gain { links, words }, outcomes))
}

#[test]
fn a_gain_leads_to_a_crawl_that_renders() {
    let judgement = judged(1_200, 1, &[Ok(200), Err(Refusal::Kind)]);
    assert_eq!(judgement.verdict, Verdict::Gain);
    assert_eq!(judgement.reason, "Rendering adds 1,200 links and 1 word.");
    assert_eq!(judgement.next, ["harvestman crawl 'http://h.test/t?a=1&b=2' --render auto --out DIR"]);
    let despite = judged(1, 0, &[Err(Refusal::Robots)]);
    assert_eq!(despite.verdict, Verdict::Gain);
    assert!(despite.reason.ends_with("It may lack content: robots.txt disallows it (1)."), "{}", despite.reason);
}

#[test]
fn without_a_gain_the_crawl_needs_no_browser() {
    let judgement = judged(0, 0, &[Ok(200), Ok(403), Err(Refusal::Kind)]);
    assert_eq!(judgement.verdict, Verdict::NoGain);
    assert_eq!(judgement.reason, "Rendering adds nothing. One of its requests was answered with an error.");
    assert!(judgement.next[0].ends_with("--out DIR") && !judgement.next[0].contains("--render"));
    let little = judged(0, 3, &[]);
    assert_eq!(little.verdict, Verdict::NoGain);
    assert_eq!(little.reason, "Rendering adds too little to count (0 links, 3 words).");
}

#[test]
fn without_a_gain_refused_requests_impair_the_page() {
    for (refusal, advice) in [
        (Refusal::Robots, "obeys robots.txt"),
        (Refusal::Requests, "render.requests"),
        (Refusal::Failed, "again later"),
    ] {
        let judgement = judged(0, 0, &[Err(Refusal::Method), Err(refusal)]);
        assert_eq!(judgement.verdict, Verdict::Impaired, "{refusal:?}");
        assert!(judgement.next[0].contains(advice), "{:?}", judgement.next);
    }
}

#[test]
fn a_failure_of_the_browser_is_named_with_a_setting() {
    let judgement = Judgement::of_failure(URL, &RenderFailure::Hung);
    assert_eq!(
        (judgement.verdict, judgement.reason.as_str()),
        (Verdict::Failed, "Rendering failed: the page does not react.")
    );
    assert!(judgement.next[0].contains("render.page_time"));
}

#[test]
fn a_page_that_is_not_rendered_says_why() {
    let reason = |json: serde_json::Value| {
        let judgement = Judgement::of_unrendered(Some(&serde_json::from_value(json).unwrap()));
        assert_eq!(judgement.verdict, Verdict::NotRendered);
        (judgement.reason, judgement.next.join(" "))
    };
    let record = |fate: &str, reason: &str| serde_json::json!({"url": URL, "fate": fate, "reason": reason});
    assert!(reason(record("robots", "disallowed")).0.contains("robots.txt disallows the page"));
    assert!(reason(record("robots", "unavailable")).0.contains("robots.txt is not available"));
    let (why, next) = reason(record("failed", "dns"));
    assert!(why.contains("cannot be fetched (dns)") && next.contains("--resolve"), "{why} {next}");
    let mut missing = record("failed", "http_404");
    missing["status"] = 404.into();
    assert!(reason(missing).0.contains("status 404"));
    let mut pdf = record("fetched", "");
    (pdf["status"], pdf["content_type"]) = (200.into(), "application/pdf".into());
    assert!(reason(pdf).0.contains("not HTML (application/pdf)"));
    let mut moved = record("redirected", "");
    (moved["status"], moved["redirect_to"]) = (301.into(), "http://o.test/".into());
    assert_eq!(reason(moved).1, "harvestman inspect render http://o.test/");
    assert!(Judgement::of_unrendered(None).reason.contains("The settings"));
}

#[test]
fn refusals_are_counted_by_reason_and_each_has_its_own_words() {
    let text = counted(&[Refusal::Failed, Refusal::Robots, Refusal::Failed]);
    assert_eq!(text, "robots.txt disallows it (1), the request failed (2)");
    let mut words = Refusal::ALL.map(described).to_vec();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Refusal::ALL.len());
}
