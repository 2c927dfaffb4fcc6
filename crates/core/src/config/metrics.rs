//! Settings of the monitoring HTTP server.

crate::options! {
    /// The monitoring HTTP server of a crawl: metrics for Prometheus, and the live page.
    pub struct MetricsOptions in "metrics" {
        /// Address and port of the live page (`/`), `/metrics`, `/healthz` and `/api/status`, such as `127.0.0.1:9900`;
        /// port 0 takes a free one. Empty: no server. At an address that other machines can reach, `/metrics` and
        /// `/healthz` are open to all of them; the page and the API need `token`.
        listen: String = String::new(),
        /// The token for access to the live page and its API, and for commands to the crawl through them: at least 16
        /// characters. Empty: one is generated for each run and written to `live.url` in the crawl directory; users of
        /// this machine then have access without it, and other machines see only the metrics.
        token: String = String::new(),
        /// Names by which browsers and programs reach the server, in addition to `localhost` and addresses, such as
        /// `crawl.example.org`. Requests for other names are refused, which protects against DNS rebinding.
        names: Vec<String> = Vec::new(),
    }
}
