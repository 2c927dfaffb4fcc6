//! Random templates are learned from the requests that they make.

use proptest::prelude::*;
use proptest::test_runner::TestRng;

use super::*;

/// A part of a random template.
#[derive(Debug, Clone)]
enum Piece {
    Constant(String),
    PagePath(usize),
    PageQuery,
    Attribute(usize),
    Script,
    Joined(Box<Piece>, char, Box<Piece>),
}

/// How the requests of a page follow each other.
#[derive(Debug, Clone)]
enum Repeat {
    Once,
    Counter(i64, i64),
    Cursor,
    Each,
}

#[derive(Debug, Clone)]
struct Model {
    segments: Vec<Piece>,
    query: Vec<Piece>,
    repeat: Repeat,
}

fn leaf() -> impl Strategy<Value = Piece> {
    prop_oneof![
        "[a-z]{3,8}".prop_map(Piece::Constant),
        (1_usize..3).prop_map(Piece::PagePath),
        Just(Piece::PageQuery),
        (0_usize..3).prop_map(Piece::Attribute),
        Just(Piece::Script),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    let joined = (leaf(), prop::sample::select(vec!['-', '.', ',']), leaf());
    prop_oneof![4 => leaf(), 1 => joined.prop_map(|(a, mark, b)| Piece::Joined(Box::new(a), mark, Box::new(b)))]
}

fn model() -> impl Strategy<Value = Model> {
    let repeat = prop_oneof![
        Just(Repeat::Once),
        (0_i64..9, 1_i64..50).prop_map(|(first, step)| Repeat::Counter(first, step)),
        Just(Repeat::Cursor),
        Just(Repeat::Each),
    ];
    (prop::collection::vec(piece(), 1..4), prop::collection::vec(piece(), 0..3), repeat)
        .prop_map(|(segments, query, repeat)| Model { segments, query, repeat })
}

/// The texts of a page, all different.
struct Words {
    path: [String; 2],
    query: String,
    attributes: [String; 3],
    script: String,
    steps: Vec<String>,
}

impl Words {
    fn of(random: &mut TestRng, steps: usize) -> Self {
        let mut word = || {
            let letter = |random: &mut TestRng| char::from(b'a' + (random.next_u32() % 26) as u8);
            let text: String = (0..9).map(|_| letter(random)).collect();
            text
        };
        let path = [word(), word()];
        let (query, script) = (word(), word());
        let attributes = [word(), word(), word()];
        Self { path, query, attributes, script, steps: (0..steps).map(|_| word()).collect() }
    }

    fn text(&self, piece: &Piece) -> String {
        match piece {
            Piece::Constant(text) => text.clone(),
            Piece::PagePath(index) => self.path[index - 1].clone(),
            Piece::PageQuery => self.query.clone(),
            Piece::Attribute(index) => self.attributes[*index].clone(),
            Piece::Script => self.script.clone(),
            Piece::Joined(first, mark, second) => format!("{}{mark}{}", self.text(first), self.text(second)),
        }
    }

    fn html(&self, has_items: bool) -> String {
        let [a, b, c] = &self.attributes;
        let items: String =
            self.steps.iter().filter(|_| has_items).map(|step| format!("<li class=item data-item={step}>")).collect();
        format!(
            "<div class=a data-a={a}></div><p id=top title={b}><i data-c='{c}'>{items}<script>var x = {{k: '{}'}}</script>",
            self.script
        )
    }
}

impl Model {
    fn url(&self, words: &Words, step: Option<&str>) -> String {
        let segments: Vec<String> = self.segments.iter().map(|piece| words.text(piece)).collect();
        let mut query: Vec<String> = self
            .query
            .iter()
            .enumerate()
            .map(|(at, piece)| format!("k{}={}", ["x", "y"][at], words.text(piece)))
            .collect();
        query.extend(step.map(|step| format!("step={step}")));
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        format!("https://h.example/api/{}{query}", segments.join("/"))
    }

    fn sample(&self, random: &mut TestRng, steps: usize) -> Sample {
        let words = Words::of(random, steps);
        let html = words.html(matches!(self.repeat, Repeat::Each));
        let step = |at: usize| match &self.repeat {
            Repeat::Once => None,
            Repeat::Counter(first, by) => Some((first + by * at as i64).to_string()),
            Repeat::Cursor => (at > 0).then(|| words.steps[at].clone()),
            Repeat::Each => Some(words.steps[at].clone()),
        };
        let steps = if matches!(self.repeat, Repeat::Once) { 1 } else { steps };
        let body = |at: usize| {
            let next = words.steps.get(at + 1).map_or("null".into(), |next| format!("\"{next}\""));
            let next = if matches!(self.repeat, Repeat::Cursor) { next } else { "null".into() };
            format!(r#"{{"next":{next},"more":{},"html":"<a href='/new/{}'>"}}"#, at + 1 < steps, words.steps[at])
        };
        let requests: Vec<(String, String)> =
            (0..steps).map(|at| (self.url(&words, step(at).as_deref()), body(at))).collect();
        let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
        let page = format!("https://h.example/t/{}/{}?q={}", words.path[0], words.path[1], words.query);
        sample(&page, &html, &requests)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_template_is_learned_from_its_requests(
        model in model(),
        count in 3_usize..6,
        random in any::<u64>(),
        steps in prop::collection::vec(2_usize..6, 6),
    ) {
        let seed = [random.to_le_bytes(); 4].concat();
        let mut random = TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &seed);
        let samples: Vec<Sample> = (0..=count).map(|at| model.sample(&mut random, steps[at])).collect();
        check(&samples);
    }
}
