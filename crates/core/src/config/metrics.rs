//! Settings of the HTTP server for those who watch.

crate::options! {
    /// The HTTP server for those who watch a crawl: metrics for Prometheus, and the live page.
    pub struct MetricsOptions in "metrics" {
        /// Address and port to serve the live page (`/`), `/metrics`, `/healthz` and `/api/status` at, as in `127.0.0.1:9900`; port
        /// 0 takes a free one. Empty: no server. At an address that other machines reach, `/metrics` and `/healthz` are open to all of
        /// them; the page and the API need `token`.
        listen: String = String::new(),
        /// What those must know who look at the live page or its API, or tell the crawl something through them: 16 characters at
        /// least. Empty: one is drawn for each run and stands in `live.url` of the crawl directory; then this machine's users may
        /// look without it, and other machines see metrics alone.
        token: String = String::new(),
        /// Names under which browsers and programs reach the server, besides `localhost` and addresses, as in `crawl.example.org`.
        /// Requests for other names are refused, so that no other site's name can be made to lead here.
        names: Vec<String> = Vec::new(),
    }
}
