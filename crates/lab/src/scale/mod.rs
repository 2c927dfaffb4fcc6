//! What a fleet costs at a size that nobody has at hand: what one page, link and URL cost is measured with the code that crawls, on the pages
//! of a corpus, and what a thousand nodes ask of their servers follows from that.

mod costs;
mod fleet;
mod forecast;
mod sample;
mod told;

pub use costs::{Costs, measure};
pub use fleet::Fleet;
pub use forecast::{Demand, Forecast, forecast, least};
pub use sample::Sample;
pub use told::{markdown, text};

#[cfg(test)]
mod tests;
