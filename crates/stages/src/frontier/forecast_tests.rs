use proptest::prelude::*;

use super::*;

fn leaf(score: f64, wanted: f64, urls: u64) -> ClassBacklog {
    ClassBacklog { score, prospect: Prospect { wanted, ..Prospect::default() }, urls }
}

fn hub(score: f64, urls: u64, links: f64, (links_score, links_wanted): (f64, f64)) -> ClassBacklog {
    ClassBacklog { score, prospect: Prospect { wanted: 0.0, links, links_score, links_wanted }, urls }
}

fn expected(waiting: Vec<ClassBacklog>, requests: u32) -> (f64, f64) {
    let forecast = forecast(waiting, requests).unwrap();
    (forecast.expected_yield, forecast.requests)
}

#[test]
fn the_best_classes_are_fetched_first() {
    let waiting = vec![leaf(0.1, 0.1, 100), leaf(0.9, 0.8, 50), leaf(0.5, 0.4, 30)];
    let (share, requests) = expected(waiting, 100);
    assert!((share - (50.0 * 0.8 + 30.0 * 0.4 + 20.0 * 0.1) / 100.0).abs() < 1e-12);
    assert_eq!(requests, 100.0);
}

#[test]
fn with_fewer_urls_than_requests_the_share_is_relative_to_the_urls() {
    assert_eq!(expected(vec![leaf(0.9, 1.0, 3), leaf(0.1, 0.0, 1)], 200), (0.75, 4.0));
    assert_eq!(forecast(vec![], 200), None);
    assert_eq!(forecast(vec![leaf(0.5, 1.0, 0)], 200), None);
    assert_eq!(forecast(vec![leaf(0.5, 1.0, 9)], 0), None);
}

#[test]
fn a_hub_yields_through_its_links() {
    // One hub, its nine links, and so on: nine of ten requests are wanted.
    let (share, requests) = expected(vec![hub(0.6, 100, 9.0, (0.8, 1.0)), leaf(0.2, 0.0, 500)], 100);
    assert!((share - 0.9).abs() < 1e-9, "{share}");
    assert_eq!(requests, 100.0);
    // Hubs that bring less than one link each take part of a request for them.
    let (share, _) = expected(vec![hub(0.6, 1_000, 0.25, (0.8, 1.0))], 100);
    assert!((share - 0.2).abs() < 0.01, "{share}");
}

#[test]
fn links_with_a_lower_score_come_after_the_waiting_urls() {
    let waiting = vec![hub(0.9, 1, 50.0, (0.3, 0.3)), leaf(0.5, 0.5, 10)];
    let (share, requests) = expected(waiting, 21);
    assert!((share - (10.0 * 0.5 + 10.0 * 0.3) / 21.0).abs() < 1e-9, "{share}");
    assert_eq!(requests, 21.0);
}

#[test]
fn a_class_with_a_nan_score_comes_last() {
    let (share, _) = expected(vec![leaf(f64::NAN, 0.0, 10), leaf(-1.0, 1.0, 10)], 10);
    assert_eq!(share, 1.0);
}

#[test]
fn the_recent_yield_is_a_lower_bound_of_the_forecast() {
    let ahead = forecast(vec![leaf(0.5, 0.2, 100)], 50).unwrap();
    assert!((ahead.at_least(None).expected_yield - 0.2).abs() < 1e-12);
    assert!((ahead.at_least(Some(0.1)).expected_yield - 0.2).abs() < 1e-12);
    assert_eq!(ahead.at_least(Some(0.7)).expected_yield, 0.7);
}

/// Simulates one request at a time and each found link separately; here hubs bring whole links.
fn naive(waiting: &[ClassBacklog], requests: u32) -> Option<(f64, u32)> {
    let mut queue: Vec<(f64, Prospect)> = Vec::new();
    for class in waiting {
        queue.extend((0..class.urls).map(|_| (class.score, class.prospect)));
    }
    let (mut wanted, mut made) = (0.0, 0);
    while made < requests && !queue.is_empty() {
        let best = (0..queue.len()).fold(0, |best, at| if queue[at].0 > queue[best].0 { at } else { best });
        let (_, prospect) = queue.remove(best);
        wanted += prospect.wanted;
        made += 1;
        let link = (prospect.links_score, Prospect { wanted: prospect.links_wanted, ..Prospect::default() });
        queue.extend((0..prospect.links as u32).map(|_| link));
    }
    (made > 0).then(|| (wanted / f64::from(made), made))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Here all links are alike; otherwise their mean represents them.
    #[test]
    fn the_forecast_equals_a_simulation_of_single_requests(
        classes in prop::collection::vec((0_u32..1_000, 0.0_f64..=1.0, 0_u64..12, 0_u32..4), 0..8),
        born in (0_u32..1_000, 0.0_f64..=1.0),
        requests in 0_u32..60,
    ) {
        let waiting: Vec<_> = classes.iter().enumerate().map(|(at, (score, wanted, urls, links))| ClassBacklog {
            // All scores differ, so that nothing depends on how ties are broken.
            score: f64::from(score * 20 + at as u32),
            prospect: Prospect {
                wanted: *wanted,
                links: f64::from(*links),
                links_score: f64::from(born.0 * 20 + 15),
                links_wanted: born.1,
            },
            urls: *urls,
        }).collect();
        let expected = naive(&waiting, requests);
        let got = forecast(waiting, requests);
        prop_assert_eq!(got.is_some(), expected.is_some());
        if let (Some(got), Some((share, made))) = (got, expected) {
            prop_assert!((got.expected_yield - share).abs() < 1e-9, "{got:?} {share}");
            prop_assert!((got.requests - f64::from(made)).abs() < 1e-9);
        }
    }
}
