//! Settings of the metrics' HTTP server.

crate::options! {
    /// The HTTP server for metrics and the crawl's status.
    pub struct MetricsOptions in "metrics" {
        /// Address and port to serve `/metrics`, `/healthz` and `/api/status` at, as in `127.0.0.1:9900`; port 0 takes a free
        /// one. Empty: no server. Everybody who reaches it may read it, so keep it to addresses that you trust.
        listen: String = String::new(),
    }
}
