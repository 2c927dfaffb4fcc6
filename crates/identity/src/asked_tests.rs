use proptest::prelude::*;

use super::*;
use crate::{SignatureAgent, SigningKey};

const BYTES_MAX: usize = 8_192;

fn identity(agent: Option<AgentForm>) -> Identity {
    let key = SigningKey::from_pem(SigningKey::new_pem(&[5; 32]).as_bytes()).unwrap();
    Identity::new(key, agent.map(|form| SignatureAgent::parse("https://bot.test", form).unwrap()))
}

fn asked_of(identity: &Identity, lines: &[&str]) -> RequestedSignature {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(ACCEPT_SIGNATURE, HeaderValue::from_str(line).unwrap());
    }
    identity.asked(&headers, BYTES_MAX)
}

fn asked(line: &str) -> RequestedSignature {
    asked_of(&identity(Some(AgentForm::Dictionary)), &[line])
}

/// The demand for this header, as label, identifiers and nonce.
fn demand(line: &str) -> Option<(String, Vec<String>, Option<String>)> {
    let RequestedSignature::Signature(Demand { form, nonce }) = asked(line) else { return None };
    let identifiers = form.components.iter().map(|component| component.identifier(&form.label)).collect();
    Some((form.label.clone(), identifiers, nonce))
}

fn is_unusable(line: &str) -> bool {
    matches!(asked(line), RequestedSignature::Unusable(_))
}

#[test]
fn the_usual_request_asks_for_the_usual_signature() {
    let identity = identity(Some(AgentForm::Dictionary));
    let header = r#"sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth""#;
    let RequestedSignature::Signature(demand) = asked_of(&identity, &[header]) else {
        panic!("a signature is asked for")
    };
    assert_eq!((&demand.form, demand.nonce), (identity.usual(), None));
    assert!(identity.usual().covers(&demand.form));
}

#[test]
fn label_components_and_nonce_are_those_of_the_server_and_what_the_profile_requires_is_added() {
    let (label, components, nonce) = demand(r#"me=("@method" "user-agent");nonce="a\"b";created"#).unwrap();
    assert_eq!(label, "me");
    let added = [r#""@authority""#, r#""signature-agent";key="me""#];
    assert_eq!(components, [r#""@method""#, r#""user-agent""#].into_iter().chain(added).collect::<Vec<_>>());
    assert_eq!(nonce.unwrap(), "a\"b");
    assert_eq!(demand("x=()").unwrap().1, added.map(|text| text.replace("me", "x")));
    assert_eq!(demand(r#"x=("@target-uri")"#).unwrap().1[0], r#""@target-uri""#);
}

#[test]
fn signatures_that_the_identity_cannot_make_are_unusable() {
    for line in [
        r#"sig1=("@authority");alg="rsa-pss-sha512""#,
        r#"sig1=("@authority");keyid="another""#,
        r#"sig1=("@authority");tag="another""#,
        r#"sig1=("@status")"#,
        r#"sig1=("@query-param";name="q")"#,
        r#"sig1=("content-digest";sf)"#,
        r#"sig1=("@authority" "@authority")"#,
        r#"sig1=("signature-agent";key="other")"#,
        "sig1=(authority)",
        "sig1",
        "sig1=\"@authority\"",
        "SIG1=()",
        "sig1=(",
        "",
    ] {
        assert!(is_unusable(line), "{line}");
    }
    let long = "x".repeat(65);
    assert!(is_unusable(&format!("{long}=()")) && is_unusable(&format!("a=(\"{long}\")")));
    assert!(is_unusable(&format!("a=();nonce=\"{}\"", "n".repeat(257))));
    let many = (0..17).map(|n| format!("\"x-{n}\"")).collect::<Vec<_>>().join(" ");
    assert!(is_unusable(&format!("a=({many})")) && demand("a=()").is_some());
}

#[test]
fn our_key_algorithm_and_tag_may_be_named() {
    let keyid = identity(None).key().thumbprint().to_owned();
    assert!(demand(&format!("a=();keyid=\"{keyid}\";alg=\"ed25519\";tag=\"web-bot-auth\"")).is_some());
}

#[test]
fn the_first_signature_that_can_be_made_is_chosen_over_all_lines() {
    let lines = [r#"a=();alg="hmac-sha256", b=("@status")"#, r#"c=("@path"), d=()"#];
    let RequestedSignature::Signature(demand) = asked_of(&identity(None), &lines) else {
        panic!("a signature is asked for")
    };
    assert_eq!(demand.form.label, "c");
}

#[test]
fn an_agent_that_is_not_sent_cannot_be_covered() {
    let line = r#"sig1=("signature-agent";key="sig1")"#;
    assert!(matches!(asked_of(&identity(None), &[line]), RequestedSignature::Unusable(_)));
    assert!(matches!(asked_of(&identity(Some(AgentForm::String)), &[line]), RequestedSignature::Unusable(_)));
    let whole = r#"sig1=("signature-agent")"#;
    assert!(matches!(asked_of(&identity(None), &[whole]), RequestedSignature::Unusable(_)));
    assert!(matches!(asked_of(&identity(Some(AgentForm::String)), &[whole]), RequestedSignature::Signature(_)));
}

#[test]
fn a_header_is_parsed_up_to_the_limit_and_not_beyond_it() {
    let start = "a=();x=\"";
    let of_length = |bytes: usize| format!("{start}{}\"", "y".repeat(bytes - start.len() - 1));
    assert!(matches!(asked(&of_length(BYTES_MAX)), RequestedSignature::Signature(_)));
    assert_eq!(asked(&of_length(BYTES_MAX + 1)), RequestedSignature::Unusable("the header is too long"));
    let lines = ["a=()".to_owned(), of_length(BYTES_MAX - 3)];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(asked_of(&identity(None), &lines), RequestedSignature::Unusable("the header is too long"));
    assert_eq!(asked(&"a,".repeat(500_000)), RequestedSignature::Unusable("the header is too long"));
    assert_eq!(asked_of(&identity(None), &[]), RequestedSignature::Nothing);
}

proptest! {
    #[test]
    fn no_header_makes_parsing_panic(line in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(value) = HeaderValue::from_bytes(&line) {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_SIGNATURE, value);
            identity(None).asked(&headers, BYTES_MAX);
        }
    }

    #[test]
    fn whatever_is_usable_can_be_signed_or_lacks_a_header(line in r#"[a-z]{1,3}=\("@?[a-z-]{2,12}"\);nonce="[ -!#-\[\]-~]{0,20}""#) {
        let identity = identity(Some(AgentForm::Dictionary));
        if let RequestedSignature::Signature(Demand { form, nonce }) = asked_of(&identity, &[&line]) {
            let (uri, mut headers) = ("http://a.test/".parse().unwrap(), HeaderMap::new());
            let target = crate::RequestTarget { method: "GET", uri: &uri };
            let lifetime = crate::Lifetime { created: 1, expires: 2 };
            let signed = identity.sign(target, &mut headers, &form, lifetime, nonce.as_deref());
            prop_assert_eq!(signed.is_ok(), headers.contains_key("signature"));
            prop_assert_eq!(headers.len(), if signed.is_ok() { 3 } else { 0 });
        }
    }
}
