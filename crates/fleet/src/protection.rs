//! Whether the servers of a fleet are protected from others.

use std::net::IpAddr;

use url::Url;

use harvestman_core::config::FleetOptions;

/// What is missing to protect the servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lack {
    /// They must not be used like that.
    Refused(String),
    /// The user should know.
    Warned(String),
}

/// Returns what is missing to protect the servers that `options` name; `None` if nothing is, or only this machine
/// reaches them.
pub(super) fn lack(options: &FleetOptions) -> Option<Lack> {
    let servers: Vec<Url> = options.servers.split(',').filter_map(|server| url(server.trim())).collect();
    let remote = servers.iter().find(|server| !is_loopback(server))?;
    let shown = remote.host_str().unwrap_or_default();
    let in_url = servers.iter().any(|server| !server.username().is_empty() || server.password().is_some());
    let given = [&options.user, &options.token, &options.credentials_file, &options.certificate_file];
    let has_log_in = in_url || given.iter().any(|text| !text.is_empty());
    let has_tls = servers.iter().all(|server| server.scheme() == "tls" || is_loopback(server));
    let anyone = "anyone who reaches them without a password can read and change the crawl";
    match (has_log_in, options.open, has_tls) {
        (false, false, _) => Some(Lack::Refused(format!(
            "the servers of the fleet ({shown}) are no loopback addresses, and no log-in to them is given: {anyone}. Give them accounts, \
             and set fleet.user and fleet.password, fleet.token or fleet.credentials_file (HARVESTMAN_FLEET_TOKEN=… in the environment); \
             in a network that you trust, use --open-fleet"
        ))),
        (false, true, _) => Some(Lack::Warned(format!("the servers of the fleet ({shown}) are unprotected: {anyone}"))),
        (true, _, false) => Some(Lack::Warned(format!(
            "the connection to the servers of the fleet ({shown}) is not encrypted: who is on the way can read the log-in to them. \
             Use tls:// addresses outside of a network that you trust"
        ))),
        (true, _, true) => None,
    }
}

/// Parses an address as the client does; a wrong one is reported there.
fn url(server: &str) -> Option<Url> {
    let full = if server.contains("://") { server.to_owned() } else { format!("nats://{server}") };
    Url::parse(&full).ok().filter(|url| url.host_str().is_some_and(|host| !host.is_empty()))
}

fn is_loopback(server: &Url) -> bool {
    let host = server.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(servers: &str, set: impl FnOnce(&mut FleetOptions)) -> Option<Lack> {
        let mut options = FleetOptions { servers: servers.to_owned(), ..FleetOptions::default() };
        set(&mut options);
        lack(&options)
    }

    #[test]
    fn servers_of_this_machine_need_no_protection() {
        for servers in
            ["nats://127.0.0.1:4222", "localhost", "nats://[::1]:4222,tls://127.0.0.2", "", "nats://a.localhost:1"]
        {
            assert_eq!(of(servers, |_| ()), None, "{servers}");
        }
    }

    #[test]
    fn others_are_refused_without_a_log_in_unless_they_may_be_open() {
        for servers in ["nats://10.0.0.1:4222", "nats.example.org", "nats://127.0.0.1,tls://h.test", "tls://[fd00::1]"]
        {
            let Some(Lack::Refused(why)) = of(servers, |_| ()) else { panic!("{servers} is not refused") };
            assert!(why.contains("--open-fleet") && why.contains("fleet.token"), "{why}");
            let opened = of(servers, |options| options.open = true);
            assert!(matches!(opened, Some(Lack::Warned(why)) if why.contains("unprotected")), "{servers}");
        }
    }

    #[test]
    fn a_log_in_without_tls_is_warned_about_and_one_with_tls_is_not() {
        let log_in = |options: &mut FleetOptions| options.token = "t".to_owned();
        let warned = of("nats://10.0.0.1", log_in);
        assert!(matches!(&warned, Some(Lack::Warned(why)) if why.contains("not encrypted")), "{warned:?}");
        assert!(matches!(of("nats://a:b@10.0.0.1", |_| ()), Some(Lack::Warned(_))), "in the address");
        assert_eq!(of("tls://10.0.0.1,nats://127.0.0.1", log_in), None);
        assert_eq!(of("tls://10.0.0.1", |options| options.certificate_file = "c.pem".to_owned()), None);
    }
}
