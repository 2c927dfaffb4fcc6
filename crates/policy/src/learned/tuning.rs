//! The parameters of learned policies. Found by replay of recorded sites; none depends on a site's software.

use super::evidence::Smoothing;
use super::templates::TemplateOptions;

/// The parameters by which a learned policy learns and decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// How worth is estimated.
    pub smoothing: Smoothing,
    /// The weight of uncertainty in the score of classes with few observations.
    pub curiosity: f64,
    /// The number of observations from which on a class counts as known.
    pub known_weight: f64,
    /// The amount by which the seed varies the uncertainty bonus.
    pub jitter: f64,
    /// The weight of a hub's worth per request, relative to immediate worth.
    pub hub_discount: f64,
    /// New links with at least this share of the best class's worth are good.
    pub good_share: f64,
    /// The amount that each query parameter deducts from a score: of two equally promising URLs, the plainer one comes
    /// first.
    pub parameter_cost: f64,
    /// The chance of a wanted page from which on a link is followed; `None`: all are.
    pub followed_from: Option<f64>,
    /// Whether addresses of wanted pages are made from others.
    pub derives: bool,
    /// How templates are found.
    pub templates: TemplateOptions,
    /// Maximum number of pages that templates are learned from.
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
            followed_from: None,
            derives: true,
            templates: TemplateOptions::default(),
            sample_max: 1_000,
        }
    }
}
