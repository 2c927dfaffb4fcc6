use std::net::{Ipv4Addr, SocketAddr};

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use tokio::net::UdpSocket;

use super::*;

#[test]
fn a_name_without_an_answer_is_its_own_fault_only_if_the_name_servers_answer_the_probe() {
    use Outcome::{Answered, Failed, Refused, Silent};
    let ours = Failure::Local(LocalFailure::NameServers);
    for (of_name, of_probe, failure) in [
        (Failed, Answered, Failure::Dns),
        (Silent, Answered, Failure::Dns),
        (Refused, Answered, Failure::Dns),
        // A server that refuses the probe's question alone.
        (Failed, Refused, Failure::Dns),
        (Silent, Refused, Failure::Dns),
        (Refused, Refused, ours),
        (Failed, Failed, ours),
        (Failed, Silent, ours),
        (Silent, Failed, ours),
        (Silent, Silent, ours),
    ] {
        assert_eq!(judge(of_name, of_probe), failure, "{of_name:?} {of_probe:?}");
    }
}

/// A name server that answers names below `.good.test` with this code, and everything else with another; `None`: not at
/// all.
async fn name_server(good: Option<u8>, others: Option<u8>) -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question).await {
            let is_good = question[..length].windows(6).any(|part| part == b"\x04good\x04");
            let Some(code) = (if is_good { good } else { others }) else { continue };
            let mut answer = question[..length].to_vec();
            // A response, recursion available, with this code; the question as it came, without the additional record.
            (answer[2], answer[3]) = (answer[2] | 0x80, 0x80 | code);
            answer[11] = 0;
            let end = 12 + answer[12..].iter().position(|&byte| byte == 0).unwrap() + 5;
            socket.send_to(&answer[..end], from).await.unwrap();
        }
    });
    address
}

fn resolver(server: SocketAddr) -> TokioResolver {
    let mut connection = ConnectionConfig::udp();
    connection.port = server.port();
    let server = NameServerConfig::new(server.ip(), true, vec![connection]);
    let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    let options = builder.options_mut();
    (options.cache_size, options.attempts, options.timeout) = (0, 0, Duration::from_millis(200));
    builder.build().unwrap()
}

async fn failure_of(name: &str, server: SocketAddr) -> Failure {
    let probe = NameServerProbe::new(resolver(server), Clock::system());
    let error = resolver(server).lookup_ip(name).await.unwrap_err();
    probe.failure(Some(&error)).await
}

const NO_ERROR: Option<u8> = Some(0);
const SERV_FAIL: Option<u8> = Some(2);
const NX_DOMAIN: Option<u8> = Some(3);

#[tokio::test]
async fn a_name_server_that_answers_is_not_blamed_for_a_name() {
    for of_name in [NX_DOMAIN, NO_ERROR, SERV_FAIL, None] {
        let server = name_server(of_name, NO_ERROR).await;
        assert_eq!(failure_of("a.good.test.", server).await, Failure::Dns, "{of_name:?}");
    }
    let no_root = name_server(NX_DOMAIN, SERV_FAIL).await;
    assert_eq!(failure_of("a.good.test.", no_root).await, Failure::Dns, "an answer needs no probe");
}

#[tokio::test]
async fn name_servers_that_fail_whatever_the_name_are_a_failure_of_this_machine() {
    let ours = Failure::Local(LocalFailure::NameServers);
    assert_eq!(failure_of("a.good.test.", name_server(SERV_FAIL, SERV_FAIL).await).await, ours);
    assert_eq!(failure_of("a.good.test.", name_server(None, None).await).await, ours);
    // Nobody listens there: a socket that was closed.
    let gone = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap();
    assert_eq!(failure_of("a.good.test.", gone).await, ours);
}

#[test]
fn a_socket_that_a_question_lacks_is_named() {
    let error = std::io::Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error());
    assert_eq!(lack(&NetError::from(error)), Some(LocalFailure::Descriptors));
    assert_eq!(lack(&NetError::Timeout), None);
}
