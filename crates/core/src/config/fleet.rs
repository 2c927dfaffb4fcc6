//! Settings of a fleet.

use super::Period;

crate::options! {
    /// A fleet: several machines that crawl together over NATS JetStream. Without `servers` the crawl runs on this
    /// machine alone.
    pub struct FleetOptions in "fleet" {
        /// The NATS servers of the fleet, such as `nats://10.0.0.1:4222,nats://10.0.0.2:4222`. Empty: no fleet.
        servers: String = String::new(),
        /// The crawl's name in the fleet: letters, digits, `-` and `_`. Nodes with the same crawl name crawl together.
        name: String = "crawl".to_owned(),
        /// This node's name, which must be unique: letters, digits, `-` and `_`. Empty: the machine's name.
        node: String = String::new(),
        /// This node's share of the work relative to others: a node of weight 2 gets twice as much as one of weight 1.
        /// 0: it holds nothing as long as another node has a weight.
        weight: u32 = 1,
        /// Number of parts that all hosts are divided into, a power of two; each node holds some of them. More spread
        /// the load more evenly and cost one key each. Fixed when the crawl is created.
        partitions: u32 = 256,
        /// Number of streams for links between nodes, and of streams for their logs. Few make long messages, in which
        /// each link takes little space; many let a node of a large fleet read less that is not for it. Fixed when the
        /// crawl is created.
        shards: u32 = 2,
        /// Number of servers with a copy of all data. 0: 3 if there are as many, otherwise 1.
        replicas: u32 = 0,
        /// How long a node may be silent before others take over its partitions. The node itself stops fetching a
        /// little earlier. Ten times in this period it reports that it is alive, which every other node hears: raising
        /// it lets a large fleet send fewer messages, and delays takeovers.
        lease: Period = Period::secs(10),
        /// How often a node's log is summarized, so that it can be truncated. The log holds the events in between.
        checkpoint: Period = Period::secs(60),
        /// The user name at the servers, and its password.
        user: String = String::new(),
        /// See `user`.
        password: String = String::new(),
        /// A token, if the servers require one.
        token: String = String::new(),
        /// Whether servers at other than loopback addresses may be used that ask for no log-in: everyone who reaches
        /// them can then read and change what the crawl keeps there.
        open: bool = false,
        /// The key that seals all that the nodes put on the servers, so that who reaches these can neither read nor
        /// change it: 64 hexadecimal digits (`openssl rand -hex 32`), the same for all nodes. Empty: nothing is sealed;
        /// then cookies and headers (`fetch.cookie`, `fetch.headers`) are not put there, and each node gives them by
        /// itself.
        seal: String = String::new(),
        /// A file of credentials (`.creds`). Empty: none.
        credentials_file: String = String::new(),
        /// A PEM file of the authorities that issue the servers' certificates, if they use TLS with a private
        /// authority. Empty: the usual ones.
        ca_file: String = String::new(),
        /// A PEM file with this node's own certificate, if the servers require one. Empty: none.
        certificate_file: String = String::new(),
        /// A PEM file with the private key of that certificate.
        key_file: String = String::new(),
    }
}
