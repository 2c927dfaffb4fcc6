use harvestman_core::config::Period;
use harvestman_core::url::CanonicalUrl;
use harvestman_identity::SigningKey;
use http::HeaderValue;

use super::*;

const NOW: Instant = Instant::from_micros(1_800_000_000_500_000);

fn signer(options: &IdentityOptions) -> RequestSigner {
    let key = SigningKey::from_pem(SigningKey::new_pem(&[2; 32]).as_bytes()).unwrap();
    let agent = SignatureAgent::parse("https://bot.test", AgentForm::Dictionary).unwrap();
    RequestSigner::with(Identity::new(key, Some(agent)), options)
}

fn asked() -> IdentityOptions {
    IdentityOptions { sign: SignMode::Asked, ..Default::default() }
}

/// Signs a request for this URL. Returns how, and its Signature-Input.
fn sign(signer: &RequestSigner, url: &str) -> (Signed, Option<String>) {
    let url = CanonicalUrl::from_canonical(url);
    let mut headers = HeaderMap::new();
    headers.insert("user-agent", HeaderValue::from_static("harvestman/1"));
    let signed = signer.sign("GET", &Target::of(&url).unwrap(), &mut headers, NOW);
    (signed, headers.get("signature-input").map(|value| value.to_str().unwrap().to_owned()))
}

/// Notes an answer of this host. Returns whether it wants another signature.
fn note(signer: &RequestSigner, signed: &Signed, status: u16, accept: &str) -> bool {
    let url = CanonicalUrl::from_canonical("http://a.test/");
    let mut headers = HeaderMap::new();
    headers.insert("accept-signature", HeaderValue::from_str(accept).unwrap());
    let heard = Heard { status, headers: &headers };
    signer.note(&Target::of(&url).unwrap(), &heard, signed, NOW).is_wanted
}

#[test]
fn every_request_is_signed_for_its_lifetime() {
    let signer = signer(&IdentityOptions { lifetime: Period::secs(90), ..Default::default() });
    let input = sign(&signer, "http://a.test/").1.unwrap();
    assert!(input.starts_with(r#"sig1=("@authority" "signature-agent";key="sig1");created=1800000000;keyid=""#));
    assert!(input.contains(";expires=1800000090;") && !input.contains("nonce"), "{input}");
}

#[test]
fn every_signature_can_have_a_nonce_of_its_own() {
    let signer = signer(&IdentityOptions { nonce: true, ..Default::default() });
    let inputs = [(); 2].map(|()| sign(&signer, "http://a.test/").1.unwrap());
    assert!(inputs[0].contains(";nonce=\"") && inputs[0] != inputs[1], "{inputs:?}");
}

#[test]
fn without_nonces_requests_to_a_host_share_a_signature_for_a_while() {
    let signer = signer(&IdentityOptions::default());
    let headers = |url: &str, now: Instant| {
        let (url, mut headers) = (CanonicalUrl::from_canonical(url), HeaderMap::new());
        headers.insert("signature", HeaderValue::from_static("of another request"));
        signer.sign("GET", &Target::of(&url).unwrap(), &mut headers, now);
        assert_eq!(headers.len(), 3);
        headers
    };
    let first = headers("http://a.test/", NOW);
    assert_eq!(headers("http://a.test/other?x", NOW), first);
    assert_eq!(headers("http://a.test/", NOW + Duration::from_secs(15)), first);
    let later = NOW + Duration::from_secs(16);
    for (url, now) in [("http://b.test/", NOW), ("https://a.test:81/", NOW), ("http://a.test/", later)] {
        assert_ne!(headers(url, now)["signature"], first["signature"], "{url}");
    }
    assert_eq!(headers("http://a.test/", NOW), first, "computed again, it is the same");
    let (signed, _) = sign(&signer, "http://a.test/");
    assert!(note(&signer, &signed, 403, r#"sig1=("@path")"#));
    let of_path = |url| headers(url, NOW)["signature"].clone();
    assert_ne!(of_path("http://a.test/1"), of_path("http://a.test/2"), "what covers the path is not shared");
}

#[test]
fn a_host_that_asks_gets_signed_requests_and_the_others_do_not() {
    let signer = signer(&asked());
    let (signed, input) = sign(&signer, "http://a.test/");
    assert_eq!((signed.reason, input), (None, None));
    assert!(note(&signer, &signed, 403, r#"x=("@method");created"#));
    let (signed, input) = sign(&signer, "http://a.test/other");
    assert_eq!(signed.reason, Some(SignReason::Asked));
    assert!(input.unwrap().starts_with(r#"x=("@method" "@authority" "signature-agent";key="x");"#));
    assert!(!note(&signer, &signed, 403, r#"x=("@method");created"#), "a signature that it has is not asked for again");
    for other in ["https://a.test/", "http://a.test:81/", "http://b.test/"] {
        assert_eq!(sign(&signer, other).1, None, "{other}");
    }
}

#[test]
fn only_a_refused_request_is_repeated_but_every_answer_is_remembered() {
    for (status, again) in [(200, false), (404, false), (500, false), (401, true), (403, true), (429, true)] {
        let signer = signer(&asked());
        let (signed, _) = sign(&signer, "http://a.test/");
        assert_eq!(note(&signer, &signed, status, "s=()"), again, "{status}");
        assert!(sign(&signer, "http://a.test/").1.unwrap().starts_with("s=("), "{status}");
    }
}

#[test]
fn a_nonce_of_the_host_is_used_once_and_asked_for_again_only_if_it_was_missing() {
    let signer = signer(&IdentityOptions::default());
    let (signed, _) = sign(&signer, "http://a.test/");
    let accept = r#"sig1=();nonce="first""#;
    assert!(note(&signer, &signed, 403, accept));
    let (signed, input) = sign(&signer, "http://a.test/");
    assert!(input.unwrap().contains(r#"nonce="first""#));
    assert!(!note(&signer, &signed, 403, r#"sig1=();nonce="second""#), "once is enough");
    assert!(sign(&signer, "http://a.test/").1.unwrap().contains(r#"nonce="second""#));
    assert!(!sign(&signer, "http://a.test/").1.unwrap().contains("second"));
}

#[test]
fn a_host_that_wants_a_header_that_is_not_sent_gets_the_usual_signature_and_no_third_request() {
    let signer = signer(&asked());
    let (signed, _) = sign(&signer, "http://a.test/");
    assert!(note(&signer, &signed, 403, r#"s=("content-digest")"#));
    let (signed, input) = sign(&signer, "http://a.test/");
    assert!(input.unwrap().starts_with("sig1=("));
    assert!(!note(&signer, &signed, 403, r#"s=("content-digest")"#));
}

#[test]
fn what_cannot_be_made_is_not_asked_for_again() {
    let signer = signer(&asked());
    let (signed, _) = sign(&signer, "http://a.test/");
    for accept in [r#"s=();alg="hmac-sha256""#, "not a dictionary(", r#"s=();keyid="x""#] {
        assert!(!note(&signer, &signed, 403, accept), "{accept}");
        assert_eq!(sign(&signer, "http://a.test/").1, None);
    }
}

#[test]
fn without_room_for_hosts_nothing_is_asked_for_again() {
    let mut signer = signer(&asked());
    *signer.hosts.get_mut() = AskingHosts::new(0);
    let (signed, _) = sign(&signer, "http://a.test/");
    assert!(!note(&signer, &signed, 403, "s=()"));
}

#[test]
fn debug_output_shows_no_key() {
    let pem = SigningKey::new_pem(&[2; 32]);
    let text = format!("{:?}", signer(&IdentityOptions::default()));
    let secret = pem.lines().nth(1).unwrap();
    assert!((0..secret.len() - 8).all(|at| !text.contains(&secret[at..at + 8])), "{text}");
    assert!(!text.contains("2, 2, 2"), "{text}");
}

#[test]
fn invalid_settings_are_reported_together_and_without_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.pem");
    std::fs::write(&file, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n").unwrap();
    let options = IdentityOptions {
        key_file: file.display().to_string(),
        agent: "http://bot.test".to_owned(),
        ..Default::default()
    };
    let Err(Error::Settings(errors)) = RequestSigner::new(&options) else { panic!("settings are wrong") };
    assert_eq!(errors.len(), 2);
    assert!(errors[0].starts_with("identity.agent: ") && errors[1].starts_with("identity.key_file: "), "{errors:?}");
    assert!(!errors.concat().contains("c2VjcmV0"));
    assert!(RequestSigner::new(&IdentityOptions::default()).unwrap().is_none());
}
