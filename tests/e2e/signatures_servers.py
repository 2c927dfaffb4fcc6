"""The servers of signatures.py: a plain one that may ask for signatures, and one with TLS and HTTP/2."""

import asyncio
import datetime
import email.utils
import http.server
import os
import secrets
import threading
import time

import h2  # noqa: F401  (hypercorn needs it for HTTP/2)
import hypercorn.asyncio
import hypercorn.config
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

READY_SECONDS_MAX = 30
LINKS = ["/a", "/b?x=1&y=%C3%A4", "/c/d/", "/moved"]


def page(links):
    return "<html><title>t</title><body>" + "".join(f'<p><a href="{link}">a link</a></p>' for link in links) + "</body></html>"


class PlainSite:
    """A site over HTTP/1.1. It keeps its requests as (method, URL, headers).

    `other`: where `/moved` leads. `closed`: a function that verifies a request; unsigned ones are refused. `ahead`: seconds by which
    its clock is ahead. `accept`: the header of the refusal of `/huge`.
    """

    def __init__(self, other=None, closed=None, ahead=0, accept=""):
        self.other, self.closed, self.ahead, self.accept = other, closed, ahead, accept
        self.requests, self.nonces, self.let_in, self.refused = [], set(), 0, 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        # A client that ends its connection, because an answer is too large.
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]
        self.lock = threading.Lock()

    def url(self, host, path):
        return f"http://{host}:{self.port}{path}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, url, path, headers):
        """Status, headers and body."""
        with self.lock:
            self.requests.append((method, url, headers))
        if self.closed and not self.is_let_in(method, url, headers):
            nonce = secrets.token_urlsafe(12)
            with self.lock:
                self.nonces.add(nonce)
                self.refused += 1
            return 403, {"Accept-Signature": f'gate=("@method" "@path" "@authority" "user-agent");created;expires;nonce="{nonce}"'}, "no"
        if path == "/huge":
            return 403, {"Accept-Signature": self.accept}, "no"
        if path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, f"User-agent: *\nSitemap: {url.replace('/robots.txt', '/sitemap.xml')}\n"
        if path == "/sitemap.xml":
            location = url.replace("/sitemap.xml", "/mapped")
            return 200, {"Content-Type": "application/xml"}, f"<urlset><url><loc>{location}</loc></url></urlset>"
        if path == "/moved" and self.other:
            return 302, {"Location": self.other.url("other.localhost", "/landed?from=here")}, ""
        return 200, {"Content-Type": "text/html", "ETag": f'"{path}"'}, page(LINKS if path == "/" else [])

    def is_let_in(self, method, url, headers):
        """Whether a request has a signature with a nonce that was given out and not used."""
        if not any(name.lower() == "signature" for name, _ in headers):
            return False
        nonce = self.closed(method, url, headers)
        with self.lock:
            known = nonce in self.nonces
            self.nonces.discard(nonce)
            self.let_in += known
        return known

    def handler(site):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = f"http://{self.headers['Host']}{self.path}"
                status, headers, body = site.answer(self.command, url, self.path.split("?")[0], list(self.headers.items()))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body.encode())

            do_HEAD = do_GET

            def date_time_string(self, timestamp=None):
                return email.utils.formatdate(time.time() + site.ahead, usegmt=True)

            def log_message(self, *_):
                pass

        return Handler


def certificates(work, name):
    """Writes a certificate for `name` and its authority. Returns the file of the authority."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def build(subject, issuer, public, signer, extension, critical):
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public)
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        builder = builder.not_valid_after(now + datetime.timedelta(days=1)).add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    def named(text):
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = build(named("root"), named("root"), root_key.public_key(), root_key, x509.BasicConstraints(True, None), True)
    leaf = build(named(name), named("root"), key.public_key(), root_key, x509.SubjectAlternativeName([x509.DNSName(name)]), False)
    pem = serialization.Encoding.PEM
    unlocked = (pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files = {"ca.pem": root.public_bytes(pem), "tls.pem": leaf.public_bytes(pem), "tls-key.pem": key.private_bytes(*unlocked)}
    for file, data in files.items():
        with open(os.path.join(work, file), "wb") as to:
            to.write(data)
    return os.path.join(work, "ca.pem")


class TlsSite:
    """A site over TLS with HTTP/2 and HTTP/1.1, on a thread of its own."""

    def __init__(self, work):
        self.requests, self.versions = [], set()
        self.config = hypercorn.config.Config()
        self.config.certfile, self.config.keyfile = os.path.join(work, "tls.pem"), os.path.join(work, "tls-key.pem")
        self.config.bind, self.config.accesslog, self.config.errorlog = ["127.0.0.1:0"], None, None
        # Bound here, so that the port is known.
        self.sockets = self.config.create_sockets()
        self.port = self.sockets.secure_sockets[0].getsockname()[1]
        self.config.create_sockets = lambda: self.sockets

    async def app(self, scope, receive, send):
        if scope["type"] != "http":
            return
        headers = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        host = dict(headers)["host"]
        query = scope["query_string"].decode()
        path = scope["raw_path"].decode().split("?")[0]
        self.requests.append((scope["method"], f"https://{host}{path}{'?' if query else ''}{query}", headers))
        self.versions.add(scope["http_version"])
        body = page(["/a", "/b?x=1&y=%C3%A4", "/c/d/"] if path == "/" else []).encode()
        await send({"type": "http.response.start", "status": 404 if path == "/robots.txt" else 200,
                    "headers": [(b"content-type", b"text/html"), (b"content-length", str(len(body)).encode())]})
        await send({"type": "http.response.body", "body": body})

    def __enter__(self):
        self.loop, self.started = asyncio.new_event_loop(), threading.Event()

        async def serve():
            self.stop = asyncio.Event()
            self.started.set()
            await hypercorn.asyncio.serve(self.app, self.config, shutdown_trigger=self.stop.wait)

        self.thread = threading.Thread(target=lambda: self.loop.run_until_complete(serve()), daemon=True)
        self.thread.start()
        assert self.started.wait(READY_SECONDS_MAX), "the server does not start"
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(READY_SECONDS_MAX)
