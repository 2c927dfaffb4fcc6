//! The parameters of the walks of xCrawl that an experiment varies (xCrawl 2009, section 5.3).

use std::fmt;

use harvestman_papers::xcrawl::XCrawlOptions;

/// Parameters of the walks; what is `None` is as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkParameters {
    /// The probability that a walk starts again after a page, in thousandths.
    pub restart: Option<u16>,
    /// Number of walks in succession without a new hub after which the links of the hubs are fetched (`maxIterations`).
    pub iterations: Option<u32>,
}

const RESTART: &str = "restart=";
const ITERATIONS: &str = "iterations=";

impl WalkParameters {
    /// How a parameter is written.
    pub const SYNTAX: &str = "restart=0.3, iterations=20";

    /// Returns whether all are those of the paper.
    pub const fn is_default(&self) -> bool {
        self.restart.is_none() && self.iterations.is_none()
    }

    /// Reads a parameter, such as `restart=0.3` or `iterations=20`. Returns whether it is one: a probability between 0
    /// and 1 with at most three decimals, or a number of walks of at least 1.
    pub fn read(&mut self, text: &str) -> bool {
        if let Some(restart) = text.strip_prefix(RESTART).and_then(thousandths) {
            self.restart = Some(restart);
            return true;
        }
        let walks = text.strip_prefix(ITERATIONS).and_then(|text| text.parse().ok()).filter(|walks| *walks > 0);
        self.iterations = walks.or(self.iterations);
        walks.is_some()
    }

    /// Returns the options with these parameters.
    pub fn apply(self, options: XCrawlOptions) -> XCrawlOptions {
        XCrawlOptions {
            restart: self.restart.map_or(options.restart, |restart| f64::from(restart) / 1_000.0),
            max_iterations: self.iterations.unwrap_or(options.max_iterations),
            ..options
        }
    }
}

/// Reads a probability in thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let value = text.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value))? * 1_000.0;
    ((value - value.round()).abs() < 1e-6).then_some(value.round() as u16)
}

impl fmt::Display for WalkParameters {
    /// Writes them as suffixes of a variant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(restart) = self.restart {
            write!(f, "+{RESTART}{}", f64::from(restart) / 1_000.0)?;
        }
        if let Some(iterations) = self.iterations {
            write!(f, "+{ITERATIONS}{iterations}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_replace_those_of_the_paper() {
        let mut walks = WalkParameters::default();
        assert!(walks.is_default() && walks.read("restart=0.3") && walks.read("iterations=20"));
        let options = walks.apply(XCrawlOptions::paper());
        assert_eq!((options.restart, options.max_iterations), (0.3, 20));
        assert_eq!(WalkParameters::default().apply(XCrawlOptions::paper()), XCrawlOptions::paper());
        assert_eq!(walks.to_string(), "+restart=0.3+iterations=20");
    }

    #[test]
    fn what_is_no_parameter_changes_nothing() {
        for text in [
            "restart=1.5",
            "restart=0.12345",
            "restart=NaN",
            "restart=",
            "iterations=0",
            "iterations=-1",
            "walks=3",
            "",
        ] {
            let mut walks = WalkParameters { restart: Some(50), iterations: Some(7) };
            assert!(!walks.read(text), "{text}");
            assert_eq!(walks, WalkParameters { restart: Some(50), iterations: Some(7) });
        }
    }

    #[test]
    fn every_probability_in_thousandths_is_read_as_it_is_written() {
        for restart in 0..=1_000 {
            let written = WalkParameters { restart: Some(restart), iterations: None };
            let mut read = WalkParameters::default();
            assert!(read.read(&written.to_string()[1..]), "{written}");
            assert_eq!(read, written);
        }
    }
}
