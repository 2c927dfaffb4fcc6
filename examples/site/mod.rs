//! The site that the examples crawl: the URL on the command line, or a simulated forum on this machine.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use harvestman_core::seed::Seed;
use harvestman_sim::options::Family;
use harvestman_sim::{Server, ServerOptions, World, WorldOptions};

/// A site, which is served as long as this lives.
pub struct Site {
    /// Where to start.
    pub seed: String,
    /// The delay between two requests: none on this machine.
    pub delay: &'static str,
    _server: Option<Server>,
}

impl Site {
    /// The site at the URL that is the argument of this number, or a simulated forum of some sixty pages.
    pub fn of_argument(number: usize) -> Result<Self, Box<dyn Error>> {
        if let Some(seed) = std::env::args().nth(number) {
            return Ok(Self { seed, delay: "1s", _server: None });
        }
        let options = WorldOptions { pages: 60, hosts: 1, families: vec![Family::Forum], ..WorldOptions::default() };
        let world = World::new(&options, Seed(7))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Server::start(world.into(), address, ServerOptions::default())?;
        let seed = server.world().seeds().into_iter().next().ok_or("the site has no start")?;
        Ok(Self { seed, delay: "0s", _server: Some(server) })
    }
}
