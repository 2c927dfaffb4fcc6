//! Settings of a fleet.

use super::Period;

crate::options! {
    /// A fleet: many machines that crawl together over NATS JetStream. Without `servers` the crawl is on this machine alone.
    pub struct FleetOptions in "fleet" {
        /// The NATS servers of the fleet, as in `nats://10.0.0.1:4222,nats://10.0.0.2:4222`. Empty: no fleet.
        servers: String = String::new(),
        /// The crawl's name in the fleet: letters, digits, `-` and `_`. Nodes that name the same one crawl together.
        name: String = "crawl".to_owned(),
        /// This node's name, unlike that of any other: letters, digits, `-` and `_`. Empty: the machine's name.
        node: String = String::new(),
        /// This node's share of the work against others': one of weight 2 gets twice as much as one of weight 1. 0: it holds nothing as long as
        /// another node has a weight.
        weight: u32 = 1,
        /// Parts that all hosts are divided into, a power of two; what one node holds is some of them. More spread the load more evenly
        /// and cost a key each. Fixed when the crawl is created.
        partitions: u32 = 256,
        /// Streams that links between nodes travel in, and as many for what they log. Few make long messages, of which each link takes little;
        /// many let a node of a large fleet read less that is not for it. Fixed when the crawl is created.
        shards: u32 = 2,
        /// Servers that hold a copy of everything. 0: 3 where there are as many, else 1.
        replicas: u32 = 0,
        /// How long a node may be silent before others take over what it holds. It stops fetching a little earlier itself.
        lease: Period = Period::secs(10),
        /// How often a node says that it is alive.
        renew: Period = Period::secs(1),
        /// How often what a node's log holds is summed up, so that the log can be cut. The log is as long as what happens meanwhile.
        checkpoint: Period = Period::secs(60),
        /// How often it is looked whether the work is spread evenly by what is known of hosts, not by their number alone; partitions move from
        /// one node to another only where that pays. A leader looks sooner at first. 0: never, but by `harvestman fleet rebalance`.
        balance: Period = Period::secs(10),
        /// What came of pages is kept together at least this often, in place of `state.commit_every`. Each time costs some messages, so that
        /// a short period is dear where hosts are slow; a long one delays what other nodes hear of links.
        commit_every: Period = Period::secs(1),
        /// The user at the servers, and its password.
        user: String = String::new(),
        /// See `user`.
        password: String = String::new(),
        /// A token, where the servers ask for one.
        token: String = String::new(),
        /// A file of credentials (`.creds`). Empty: none.
        credentials_file: String = String::new(),
        /// A PEM file of the authorities that vouch for the servers, where they speak TLS with certificates of your own. Empty: the usual ones.
        ca_file: String = String::new(),
        /// A PEM file with this node's own certificate, where the servers ask for one. Empty: none.
        certificate_file: String = String::new(),
        /// A PEM file with the key to that certificate.
        key_file: String = String::new(),
    }
}
