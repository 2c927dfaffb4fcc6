//! The numbers that learned policies are tuned by. Found by replay of recorded sites; none depends on a site's software.

use super::evidence::Smoothing;
use super::templates::TemplateOptions;

/// How a learned policy learns and decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// How worth is estimated.
    pub smoothing: Smoothing,
    /// How much the spread of what is known draws to what is little known.
    pub curiosity: f64,
    /// From so many observations on a class is known.
    pub known_weight: f64,
    /// How much the seed varies curiosity.
    pub jitter: f64,
    /// What a hub's rate counts, against worth in the hand.
    pub hub_discount: f64,
    /// New links with at least this share of the best class's worth are good.
    pub good_share: f64,
    /// What each parameter of a query takes from a score: of two addresses that promise alike, the plain one comes first.
    pub parameter_cost: f64,
    /// How templates are found.
    pub templates: TemplateOptions,
    /// Pages that templates are learnt from at most.
    pub sample_max: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            smoothing: Smoothing { prior: 0.3, prior_weight: 2.0, prior_variance: 0.06, strength: 2.0, memory: 40.0 },
            curiosity: 0.85,
            known_weight: 30.0,
            jitter: 0.4,
            hub_discount: 0.85,
            good_share: 0.5,
            parameter_cost: 0.08,
            templates: TemplateOptions::default(),
            sample_max: 1_000,
        }
    }
}
