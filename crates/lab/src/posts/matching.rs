//! Pairs the posts found on a page with those that it shows.

use super::words::Words;

/// Agreement of words from which a found post is the one that it was compared with.
pub const RIGHT_MIN: f64 = 0.9;
/// Agreement of words from which two posts are a pair, the better one or not.
pub const PAIR_MIN: f64 = 0.5;
/// Share of the words of a found post that must be in a post of which the page shows a part.
const EXCERPT_MIN: f64 = 0.8;
/// Maximum number of found posts of a page that are compared; further ones are wrong.
const COMPARED_MAX: usize = 5_000;

/// A post in the form in which it is compared.
#[derive(Debug, Clone, Default)]
pub struct Candidate<'t> {
    /// The readings of its text: one of a found post.
    pub texts: &'t [Words],
    /// Its author, which decides between posts of the same text.
    pub author: Option<&'t str>,
}

/// What a found post is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The post at this index among those that the page shows, with this agreement of their texts.
    Pair {
        /// The index.
        of: usize,
        /// F1 of the words.
        f1: f64,
    },
    /// A part of a post of which the page shows no more.
    Excerpt,
    /// No post of the page.
    Wrong,
}

impl Verdict {
    /// Returns the index of the post of the page that was found, if its text is right.
    pub fn right(self) -> Option<usize> {
        match self {
            Self::Pair { of, f1 } if f1 >= RIGHT_MIN => Some(of),
            _ => None,
        }
    }
}

/// Judges the posts found on a page, given those of which it shows the whole and a part. Each shown post is paired
/// once: the pairs with the best agreement first, among equals those of the same author, then those closest in order.
pub fn judge(found: &[Candidate<'_>], whole: &[Candidate<'_>], partial: &[Candidate<'_>]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Wrong; found.len()];
    let mut pairs = Vec::new();
    for (at, post) in found.iter().enumerate().take(COMPARED_MAX) {
        for (of, shown) in whole.iter().enumerate() {
            let f1 = agreement(post, shown);
            if f1 >= PAIR_MIN {
                let other_author = post.author.is_none() || post.author != shown.author;
                pairs.push((f1, other_author, at.abs_diff(of), at, of));
            }
        }
    }
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2))));
    let mut taken = vec![false; whole.len()];
    for (f1, _, _, at, of) in pairs {
        if verdicts[at] == Verdict::Wrong && !taken[of] {
            taken[of] = true;
            verdicts[at] = Verdict::Pair { of, f1 };
        }
    }
    let unpaired = verdicts.iter_mut().zip(found).filter(|(verdict, _)| verdict.right().is_none());
    for (verdict, post) in unpaired {
        let is_part_of = |shown: &Candidate<'_>| {
            let share = |whole: &Words| post.texts.first().map_or(0.0, |text| text.share_in(whole));
            shown.texts.iter().any(|text| share(text) >= EXCERPT_MIN)
        };
        if partial.iter().any(is_part_of) {
            *verdict = Verdict::Excerpt;
        }
    }
    verdicts
}

/// Returns the agreement of a found post with the closest reading of a shown one.
pub fn agreement(found: &Candidate<'_>, shown: &Candidate<'_>) -> f64 {
    let Some(text) = found.texts.first() else { return 0.0 };
    shown.texts.iter().map(|reading| text.f1(reading)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges posts of an author and a text.
    fn verdicts(found: &[(&str, &str)], whole: &[(&str, &str)], partial: &[&str]) -> Vec<Verdict> {
        let texts = |posts: &[(&str, &str)]| posts.iter().map(|(_, text)| [Words::of(text)]).collect::<Vec<_>>();
        let partial: Vec<_> = partial.iter().map(|text| ("", *text)).collect();
        let (found_texts, whole_texts, partial_texts) = (texts(found), texts(whole), texts(&partial));
        judge(&candidates(found, &found_texts), &candidates(whole, &whole_texts), &candidates(&partial, &partial_texts))
    }

    fn candidates<'t>(posts: &[(&'t str, &'t str)], texts: &'t [[Words; 1]]) -> Vec<Candidate<'t>> {
        posts.iter().zip(texts).map(|((author, _), texts)| Candidate { texts, author: Some(author) }).collect()
    }

    #[test]
    fn posts_are_paired_by_their_words() {
        let whole = [("a", "one two three four five six seven eight nine ten"), ("b", "completely other words")];
        let found = [
            ("b", "completely other words"),
            ("a", "one two three four five six seven eight nine ten eleven"),
            ("c", "Log in to reply"),
        ];
        let verdicts = verdicts(&found, &whole, &[]);
        assert_eq!(verdicts[0], Verdict::Pair { of: 1, f1: 1.0 });
        assert_eq!(verdicts[1], Verdict::Pair { of: 0, f1: 20.0 / 21.0 });
        assert_eq!(verdicts[2], Verdict::Wrong);
        assert_eq!(verdicts.iter().map(|it| it.right()).collect::<Vec<_>>(), [Some(1), Some(0), None]);
    }

    #[test]
    fn a_text_that_agrees_too_little_is_a_pair_but_not_right() {
        let verdicts = verdicts(&[("a", "one two three")], &[("a", "one two three four five")], &[]);
        assert_eq!((verdicts[0], verdicts[0].right()), (Verdict::Pair { of: 0, f1: 6.0 / 8.0 }, None));
    }

    #[test]
    fn a_shown_post_is_found_once() {
        assert_eq!(verdicts(&[("a", "yes"), ("a", "yes")], &[("a", "yes")], &[])[1], Verdict::Wrong);
    }

    #[test]
    fn among_equal_texts_author_and_order_decide() {
        let whole = [("a", "thanks"), ("b", "thanks"), ("b", "thanks")];
        let of = |found: &[(&str, &str)]| {
            verdicts(found, &whole, &[]).iter().filter_map(|it| it.right()).collect::<Vec<_>>()
        };
        assert_eq!(of(&[("b", "thanks"), ("a", "thanks"), ("b", "thanks")]), [1, 0, 2]);
        assert_eq!(of(&[("x", "thanks"), ("y", "thanks"), ("z", "thanks")]), [0, 1, 2]);
    }

    #[test]
    fn parts_of_posts_are_neither_right_nor_wrong() {
        let partial = ["the beginning of a long post that goes on"];
        let found = [("a", "the beginning of a long …"), ("a", "something else")];
        assert_eq!(verdicts(&found, &[], &partial), [Verdict::Excerpt, Verdict::Wrong]);
        assert_eq!(verdicts(&[("a", "")], &[], &partial), [Verdict::Wrong]);
    }
}
