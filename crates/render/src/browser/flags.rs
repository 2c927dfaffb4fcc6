//! The command line of a browser.

use std::path::Path;

use super::executable::Executable;
use crate::limits::RenderLimits;

/// How a browser is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// Whether the browser's own sandbox is on. The network is never there, with or without it.
    pub sandbox: bool,
}

/// What runs in the browser's namespaces as their first process. It ends all processes there when the browser ends, and
/// when the crawler closes file descriptor 5 or dies: then also browsers end that hang. The kernel does the same where
/// this process is killed.
pub(super) const SUPERVISOR: &str = r#"profile=$1; shift; "$@" 5<&- & browser=$!; exec 3<&- 4>&-
(read -r _ <&5; kill -KILL "$browser") & exec 5<&-; wait "$browser"; kill -KILL -1; rm -rf "$profile""#;

/// Returns the words of the command that starts a browser without network: new namespaces, an unprivileged user, the
/// supervisor and the browser. `is_root` tells whether the crawler runs as root.
pub(super) fn command(executable: &Executable, profile: &Path, is_root: bool, flags: Vec<String>) -> Vec<String> {
    let namespaces = "--net --pid --ipc --fork --kill-child --mount-proc --";
    let isolate = match is_root {
        true => {
            let user = "setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --";
            format!("unshare {namespaces} {user}")
        }
        false => format!("unshare --user --map-current-user {namespaces}"),
    };
    let profile = profile.display().to_string();
    let supervisor = ["sh", "-c", SUPERVISOR, "sh", &profile].map(str::to_owned);
    let browser = executable.path.display().to_string();
    isolate.split(' ').map(str::to_owned).chain(supervisor).chain([browser]).chain(flags).collect()
}

/// Returns the flags of the browser itself.
pub(super) fn flags(
    executable: &Executable,
    profile: &Path,
    confinement: Confinement,
    agent: &str,
    limits: &RenderLimits,
) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--remote-debugging-pipe",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-sync",
        "--disable-breakpad",
        "--disable-quic",
        "--deny-permission-prompts",
        "--disable-popup-blocking",
        "--mute-audio",
        "--no-pings",
        "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
        // A second wall behind the missing network.
        "--proxy-server=http://127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--window-size=1280,1600",
    ]
    .map(str::to_owned)
    .into();
    if !executable.is_shell() {
        flags.push("--headless=new".to_owned());
    }
    if !confinement.sandbox {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push(format!("--user-data-dir={}", profile.display()));
    flags.push(format!("--user-agent={agent}"));
    flags.push(format!("--js-flags=--max-old-space-size={}", limits.heap_mib));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_has_no_network_no_privileges_and_its_sandbox() {
        let executable = Executable { path: "/usr/bin/chromium".into() };
        let limits = RenderLimits { heap_mib: 77, ..RenderLimits::default() };
        let confined = flags(&executable, Path::new("/p q"), Confinement { sandbox: true }, "bot/1 (x y)", &limits);
        assert!(confined.iter().all(|flag| !flag.contains("no-sandbox")));
        for flag in
            ["--user-data-dir=/p q", "--user-agent=bot/1 (x y)", "--js-flags=--max-old-space-size=77", "--headless=new"]
        {
            assert!(confined.iter().any(|known| known == flag), "{flag}");
        }
        let open = flags(&executable, Path::new("/p"), Confinement { sandbox: false }, "a", &limits);
        assert!(open.iter().any(|flag| flag == "--no-sandbox"));
        for is_root in [true, false] {
            let words = command(&executable, Path::new("/p q"), is_root, confined.clone());
            assert_eq!(words[0], "unshare");
            assert!(words.iter().any(|word| word == "--net"));
            assert_eq!(words.iter().any(|word| word == "--reuid=65534"), is_root);
            assert_eq!(words.iter().any(|word| word == "--user"), !is_root);
            assert_eq!(words[words.len() - confined.len() - 2..][..2], ["/p q", "/usr/bin/chromium"]);
        }
    }
}
