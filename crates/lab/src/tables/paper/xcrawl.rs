//! The published figures of xCrawl (Shchekotykhin, Jannach and Friedrich, figures 4 to 7): pages found after the time
//! in which xCrawl converged, and existing pages, by site.

use crate::measures::ratio;
use crate::tables::{Measure, Row};

/// A line of a figure: the site, the pages found by xCrawl, the existing pages, and those found by the baseline, an
/// apprentice.
type Site = (&'static str, u64, u64, u64);
/// The figures, each with its subject.
const FIGURES: [(&str, &[Site]); 4] = [
    (
        "digital cameras",
        &[
            ("reviews.cnet.com", 643, 670, 6),
            ("imaging-resource.com", 794, 894, 72),
            ("dcresource.com", 372, 432, 175),
            ("parkcameras.com", 179, 191, 181),
            ("steves-digicams.com", 634, 686, 479),
            ("dpreview.com", 825, 845, 625),
        ],
    ),
    (
        "MP3 players",
        &[
            ("digitaltrends.com", 217, 255, 46),
            ("www.mp3.com", 134, 150, 82),
            ("www.pixmania.co.uk", 195, 227, 112),
            ("www.pcmag.com", 186, 214, 149),
            ("www.reviewcentre.com", 183, 196, 195),
            ("reviews.cnet.com", 648, 713, 350),
        ],
    ),
    (
        "laptops",
        &[
            ("dabs.com", 289, 302, 57),
            ("newegg.com", 493, 507, 58),
            ("datavis.com", 96, 108, 84),
            ("europc.co.uk", 86, 89, 88),
            ("ww2.inoax.com", 612, 626, 142),
            ("tabletpc.alege.net", 793, 851, 148),
        ],
    ),
    (
        "cell phones",
        &[
            ("laptopmag.com", 82, 86, 46),
            ("www.mobiledia.com", 132, 132, 75),
            ("mobile-phones-uk.org.uk", 74, 88, 80),
            ("pcmag.com", 365, 389, 153),
            ("reviews.cnet.com", 503, 554, 158),
            ("www.mobile-review.com", 524, 524, 345),
        ],
    ),
];

/// Returns the mean recall over the sites of each figure, of both systems.
#[expect(clippy::cast_precision_loss, reason = "a number of sites")]
pub fn xcrawl() -> Vec<Row> {
    let mean = |sites: &[Site], found: fn(&Site) -> u64| {
        sites.iter().filter_map(|site| ratio(found(site), site.2)).sum::<f64>() / sites.len() as f64
    };
    let rows = |(subject, sites): &(&str, &[Site])| {
        let row = |policy: &str, found| {
            let row = Row { target: Some((*subject).to_owned()), ..Row::new(super::AVERAGE, "target", policy) };
            row.with(Measure::Recall, mean(sites, found))
        };
        [row("xCrawl", |site| site.1), row("apprentice", |site| site.3)]
    };
    FIGURES.iter().flat_map(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_averages_are_those_of_the_text() {
        let recall = |policy: &str| {
            let rows: Vec<f64> = xcrawl()
                .iter()
                .filter(|row| row.policy == policy)
                .flat_map(|row| row.measures.iter().filter(|(measure, _)| **measure == Measure::Recall))
                .map(|(_, recall)| *recall)
                .collect();
            rows.iter().sum::<f64>() / rows.len() as f64
        };
        // Section 5.2: recall of about .93, 42 % better than the baseline in points of recall.
        assert!((recall("xCrawl") - 0.93).abs() < 0.01, "{}", recall("xCrawl"));
        assert!((recall("xCrawl") - recall("apprentice") - 0.42).abs() < 0.06, "{}", recall("apprentice"));
    }
}
