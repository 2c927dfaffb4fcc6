#!/usr/bin/env python3
"""Signed requests, verified by an independent implementation of RFC 9421 (http-message-signatures from PyPI).

Crawls sites over HTTP/1.1, HTTP/1.1 with TLS and HTTP/2, with ports, queries and redirects, and a site that lets in nobody without a
signature. Checks that each request verifies, that the key is in nothing that a crawl writes, and what is said of broken keys and
clocks.

Usage: signatures.py HARVESTMAN WORK

WORK is recreated.
"""

import base64
import gzip
import hashlib
import http.client
import json
import os
import shutil
import stat
import subprocess
import sys
from types import SimpleNamespace
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature, algorithms

from signatures_servers import PlainSite, TlsSite, certificates

SECONDS_MAX = 120
AGENT = "https://bot.example.org"
CRAWL = ["--delay", "0s", "--per-host", "4", "--contact", "gate@localhost", "--quiet", "--set", "fetch.private_addresses=true"]
PEM, PRIVATE = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8


class OneKey(HTTPSignatureKeyResolver):
    def __init__(self, keyid, public):
        self.keyid, self.public = keyid, public

    def resolve_public_key(self, key_id):
        return self.public if key_id == self.keyid else None


class Program:
    """The program, and the key with which it signs."""

    def __init__(self, binary, work):
        self.binary, self.work = binary, work
        self.key = os.path.join(work, "bot.pem")

    def run(self, *arguments, code=0, **environment):
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX,
                              env={**os.environ, **environment})
        assert done.returncode == code, f"{arguments}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def crawl(self, seed, name, *more, code=0, key=None):
        out = os.path.join(self.work, name)
        said = self.run("crawl", seed, "--out", out, *CRAWL, "--sign-key", key or self.key, "--signature-agent", AGENT, *more, code=code)
        return out, said

    def fates(self, out):
        with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
            return {page["url"]: page.get("reason") or page["fate"] for page in map(json.loads, lines)}


class Verifier:
    """Verifies requests as a site does that knows the key."""

    def __init__(self, keyid, public):
        self.verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=OneKey(keyid, public))
        self.nonces = set()

    def __call__(self, method, url, headers):
        """Returns the nonce, if there is one. `headers` are pairs, as they came."""
        message = SimpleNamespace(method=method, url=url, headers=dict(headers))
        label = next(name for name in message.headers if name.lower() == "signature-agent")
        label = message.headers[label].split("=")[0]
        required = ("@authority", f'"signature-agent";key="{label}"')
        [result] = self.verifier.verify(message, expect_tag="web-bot-auth", require_components=required)
        lifetime = result.parameters["expires"] - result.parameters["created"]
        assert 0 < lifetime <= 60, f"a signature lives for {lifetime} s"
        assert result.nonce is None or result.nonce not in self.nonces, "a nonce was used twice"
        self.nonces.add(result.nonce)
        return result.nonce


def make_identity(program):
    """Creates a key, and returns its thumbprint as computed here, and its public part."""
    said = program.run("identity", "new", program.key)
    assert stat.S_IMODE(os.stat(program.key).st_mode) == 0o600, "others can read the key"
    with open(program.key, "rb") as file:
        text = file.read()
    public = serialization.load_pem_private_key(text, None).public_key()
    x = base64.urlsafe_b64encode(public.public_bytes_raw()).rstrip(b"=").decode()
    members = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"), sort_keys=True)
    keyid = base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).rstrip(b"=").decode()
    shown = program.run("identity", "show", program.key)
    assert f"keyid: {keyid}\n" in said and f"keyid: {keyid}\n" in shown and x in shown, said + shown
    assert "exists already" in program.run("identity", "new", program.key, code=1)
    with open(program.key, "rb") as file:
        assert file.read() == text, "the key was overwritten"
    print(f"a key was created: {keyid}")
    return keyid, public


def check_directory(program, keyid, public):
    """The directory verifies as a response, with its digest, and for its authority only."""
    site = os.path.join(program.work, "site")
    program.run("identity", "directory", program.key, "--agent", AGENT, "--out", site)
    with open(os.path.join(site, ".well-known", "http-message-signatures-directory"), "rb") as file:
        body = file.read()
    with open(os.path.join(site, "http-message-signatures-directory.headers"), encoding="utf-8") as file:
        headers = dict(line.rstrip("\n").split(": ", 1) for line in file)
    assert headers["Content-Type"] == "application/http-message-signatures-directory+json", headers
    [jwk] = json.loads(body)["keys"]
    assert jwk["kid"] == keyid and "d" not in jwk, jwk
    for authority, fits in (("bot.example.org", True), ("other.example.org", False)):
        request = SimpleNamespace(method="GET", url=f"https://{authority}/.well-known/http-message-signatures-directory", headers={})
        response = SimpleNamespace(status_code=200, headers=headers, request=request)
        verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=OneKey(keyid, public))
        try:
            verifier.verify(response, expect_tag="http-message-signatures-directory", body=body)
            verified = True
        except InvalidSignature:
            verified = False
        assert verified == fits, f"the directory at {authority}: verified is {verified}"
    print("the key directory verifies")


def all_verify(site, verify, pages_min):
    assert len(site.requests) >= pages_min, f"only {len(site.requests)} requests"
    for method, url, headers in site.requests:
        try:
            verify(method, url, headers)
        except Exception as error:
            raise AssertionError(f"{method} {url} does not verify: {error}\n{headers}") from error
    method, url, headers = site.requests[0]
    elsewhere = url.replace("//", "//another.", 1)
    changed = [(name, value.replace("created=1", "created=2")) for name, value in headers]
    for url, headers in ((elsewhere, headers), (url, changed)):
        try:
            verify(method, url, headers)
        except InvalidSignature:
            continue
        raise AssertionError(f"a signature for another request verifies: {url} {headers}")
    return len(site.requests)


def plain(program, verify):
    """HTTP/1.1: pages, queries, robots.txt, a sitemap, and redirects to another port and another host name."""
    with PlainSite() as other, PlainSite(other=other) as site:
        out, _ = program.crawl(site.url("site.localhost", "/"), "plain", "--set", "scope.hosts=*.localhost")
        count = all_verify(site, verify, 8) + all_verify(other, verify, 2)
        assert verify.nonces == {None}, "a nonce that nobody asked for"
        paths = {urlsplit(url).path for _, url, _ in site.requests}
        assert {"/robots.txt", "/sitemap.xml", "/", "/moved", "/mapped"} <= paths, paths
        assert any("?" in url for _, url, _ in site.requests), "no query"
        failed = {url: fate for url, fate in program.fates(out).items() if fate not in ("fetched", "redirected")}
        assert not failed, failed
        again = len(site.requests)
        program.run("recrawl", out, "--quiet", "--sign-key", program.key)
        assert len(site.requests) > again, "nothing was revisited"
        all_verify(SimpleNamespace(requests=site.requests[again:]), verify, 1)
    print(f"HTTP/1.1: {count} requests and a recrawl verify")


def single_requests(program, verify):
    """Other methods, by the headers of `harvestman identity sign`."""
    with PlainSite() as site:
        for method, path in (("HEAD", "/"), ("GET", "/q?a=b&c=%20d"), ("HEAD", "/%7Euser/")):
            url = site.url("site.localhost", path)
            said = program.run("identity", "sign", program.key, url, "--agent", AGENT, "--method", method, "--accept",
                               'sig1=("@method" "@target-uri" "@authority");created')
            headers = dict(line.split(": ", 1) for line in said.splitlines())
            connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
            connection.request(method, path, headers={"Host": urlsplit(url).netloc, **headers})
            connection.getresponse().read()
            connection.close()
        methods = [method for method, _, _ in site.requests]
        all_verify(site, verify, 3)
    print(f"single requests verify: {' '.join(methods)}")


def tls(program, verify):
    """TLS with HTTP/2 and with HTTP/1.1, at the default port and another one, where each request has a nonce."""
    authority = certificates(program.work, "site.test")
    for http2 in (True, False):
        with TlsSite(program.work) as site:
            for port in ("", f":{site.port}"):
                name = f"tls-{http2}-{'port' if port else 'default'}"
                out, _ = program.crawl(f"https://site.test{port}/", name, "--ca-file", authority, "--resolve",
                                       f"site.test:127.0.0.1:{site.port}", "--set", f"fetch.http2={str(http2).lower()}",
                                       "--set", "identity.nonce=true")
                assert set(program.fates(out).values()) == {"fetched"}, program.fates(out)
            before = len(verify.nonces - {None})
            count = all_verify(site, verify, 8)
            assert len(verify.nonces - {None}) >= before + count, "requests without a nonce"
            assert site.versions == {"2" if http2 else "1.1"}, site.versions
            authorities = {urlsplit(url).netloc for _, url, _ in site.requests}
            assert authorities == {"site.test", f"site.test:{site.port}"}, authorities
        print(f"HTTP/{'2' if http2 else '1.1'} with TLS: {count} requests verify")


def closed_site(program, verify):
    """A site that asks by Accept-Signature, each time with a nonce that may be used once; another one that does not ask."""
    with PlainSite(closed=verify) as site, PlainSite() as other:
        out, _ = program.crawl(site.url("site.localhost", "/"), "closed", "--set", "identity.sign=asked")
        fates = program.fates(out)
        assert set(fates.values()) <= {"fetched", "redirected"}, fates
        assert site.let_in >= 6, f"{site.let_in} requests were let in"
        times = [len([1 for _, url, _ in site.requests if urlsplit(url).path == path]) for path in ("/", "/moved", "/robots.txt")]
        assert max(times) <= 2, f"a URL was requested {max(times)} times"
        program.crawl(other.url("site.localhost", "/"), "open", "--set", "identity.sign=asked")
        assert not any(name.lower() == "signature" for _, _, headers in other.requests for name, _ in headers)
    print(f"a closed site let in {site.let_in} requests; {site.refused} were refused first")


def leaks(program):
    """The key is in no output and no file, not even at the most talkative log level."""
    authority = certificates(program.work, "site.test")
    with TlsSite(program.work) as site:
        out, said = program.crawl("https://site.test/", "watched", "--log-level", "trace", "--ca-file", authority, "--resolve",
                                  f"site.test:127.0.0.1:{site.port}")
        assert " TRACE " in said, "the log is not at its most talkative level"
        said += program.run("report", out, "--format", "markdown") + program.run("config", "--sign-key", program.key)
    with open(program.key, "rb") as file:
        seed = serialization.load_pem_private_key(file.read(), None).private_bytes_raw()
    with open(program.key, encoding="ascii") as file:
        encoded = file.read().splitlines()[1]
    # Any part of the key that is long enough to be no accident.
    parts = [seed[at:at + 12] for at in range(0, 20, 4)] + [seed.hex()[at:at + 16].encode() for at in range(0, 48, 8)]
    parts += [seed.hex().upper()[at:at + 16].encode() for at in range(0, 48, 8)]
    parts += [encoded[at:at + 12].encode() for at in range(22, 52, 4)]
    parts += [base64.b64encode(seed)[at:at + 12] for at in range(0, 28, 4)]
    parts += [base64.urlsafe_b64encode(seed)[at:at + 12] for at in range(0, 28, 4)]
    parts += [", ".join(str(byte) for byte in seed[at:at + 6]).encode() for at in range(0, 26)]
    places = {"output": said.encode()}
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            places[path] = gzip.decompress(data) if name.endswith(".gz") else data
    found = [place for place, data in places.items() if any(part in data for part in parts)]
    assert not found, f"parts of the key are in {found}"
    assert any(b"Signature-Input: sig1=" in data or b"signature-input: sig1=" in data for data in places.values()), "no request record"
    print(f"the key is in none of {len(places)} places, {sum(map(len, places.values())) / 1e6:.1f} MB")


def broken_keys(program):
    """Each broken key is named, nothing of it is repeated, and nothing is created."""
    def file(name, data, mode=0o600):
        path = os.path.join(program.work, name)
        with open(path, "wb") as to:
            to.write(data)
        os.chmod(path, mode)
        return path

    with open(program.key, "rb") as key:
        good = key.read()
    private = ed25519.Ed25519PrivateKey.generate()
    curve = ec.generate_private_key(ec.SECP256R1())
    password = serialization.BestAvailableEncryption(b"x")
    cases = {
        "another algorithm": file("p256.pem", curve.private_bytes(PEM, PRIVATE, serialization.NoEncryption())),
        "truncated or damaged": file("short.pem", good.replace(good.splitlines()[1], good.splitlines()[1][:40])),
        "encrypted": file("locked.pem", private.private_bytes(PEM, PRIVATE, password)),
        "public key only": file("public.pem", private.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)),
        "no key in PEM": file("empty.pem", b""),
        "is a directory": program.work,
        "not a regular file": "/dev/zero",
        "larger than": file("large.pem", good * 1000),
        "No such file": os.path.join(program.work, "none.pem"),
        "path of a file": good.decode(),
    }
    for message, key in cases.items():
        out, said = program.crawl("http://127.0.0.1:9/", "broken", key=key, code=2)
        assert message in said and "identity.key_file" in said, f"{key}: {said}"
        assert good.splitlines()[1].decode()[22:34] not in said, said
        assert not os.path.exists(out), "something was created"
    with PlainSite() as site:
        shared = file("shared.pem", private.private_bytes(PEM, PRIVATE, serialization.NoEncryption()), 0o640)
        _, said = program.crawl(site.url("site.localhost", "/"), "shared", key=shared)
        assert said.count("may read") == 1 and "chmod 600" in said, said
    said = program.run("crawl", "http://127.0.0.1:9/", "--out", out, "--sign-key", program.key, "--signature-agent",
                       "http://bot.example.org", code=2)
    assert "identity.agent" in said and "https origin" in said, said
    print(f"{len(cases)} broken keys are named; a key that others can read gives a warning")


def clocks(program):
    """A server whose clock is off gives one warning; one that is right gives none."""
    for name, ahead, warnings in (("clock-right", 0, 0), ("clock-ahead", 7200, 1), ("clock-behind", -7200, 1)):
        with PlainSite(ahead=ahead) as site:
            _, said = program.crawl(site.url("site.localhost", "/"), name)
            assert said.count("the clock of") == warnings, f"{name}: {said}"
            assert not warnings or "timedatectl" in said, said
    print("clocks that are off are reported once")


def huge_header(program):
    """An Accept-Signature header of 1 MB is a failure of its URL; one of 40 KB is not read."""
    for name, size, reason in (("huge", 1 << 20, "head_too_large"), ("long", 40_000, "http_403")):
        with PlainSite(accept=f'sig1=();x="{"x" * size}"') as site:
            out, _ = program.crawl(site.url("site.localhost", "/huge"), name, "--set", "host.retries_max=1", "--set", "identity.sign=asked")
            assert program.fates(out)[site.url("site.localhost", "/huge")] == reason, program.fates(out)
            assert len([1 for _, url, _ in site.requests if url.endswith("/huge")]) == 1, site.requests
    print("huge headers are recorded")


def main():
    binary, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    program = Program(binary, work)
    keyid, public = make_identity(program)
    verify = Verifier(keyid, public)
    check_directory(program, keyid, public)
    plain(program, verify)
    single_requests(program, verify)
    tls(program, verify)
    closed_site(program, verify)
    leaks(program)
    broken_keys(program)
    clocks(program)
    huge_header(program)


if __name__ == "__main__":
    main()
