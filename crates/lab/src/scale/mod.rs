//! Forecasts the resources of a large fleet: the cost of a page, link and URL is measured with the code of a crawl on
//! the pages of a corpus, and the load of a thousand nodes on their servers is computed from it.

mod costs;
mod fleet;
mod forecast;
mod sample;
mod text;

pub use costs::{Costs, measure};
pub use fleet::Fleet;
pub use forecast::{Demand, Forecast, forecast, least};
pub use sample::Sample;
pub use text::{markdown, text};

#[cfg(test)]
mod tests;
