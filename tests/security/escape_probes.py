"""Every probe of `benchmarks/escapes`: those of the tests (`escapes`), and more.

Beside the fields that `escapes` names, these may hold `{port}`, the foreign host's, and
`{name}`, a name of the probe's own, also as a label below `.test`, which nobody has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.security.escapes import BEYOND, CLICKS, LOADS


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One try."""

    name: str
    kind: str
    html: str
    click: bool = False
    """Whether the page is clicked, at what says *Go*."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The page's own, beside the usual ones."""
    script: str = ""
    """Served as JavaScript below the page's path, `/NAME.js`."""


def _everywhere(name: str, host: str, kind: str) -> Probe:
    """A host, asked for in three ways at once."""
    html = (
        f"<img src='http://{host}/{{name}}/i'><iframe src='http://{host}/{{name}}/f'></iframe>"
        f"<script>fetch('http://{host}/{{name}}/r', {{{{mode: 'no-cors'}}}}).catch(() => 0)</script>"
    )
    return Probe(name=name, kind=kind, html=html)


def _run(name: str, kind: str, code: str) -> Probe:
    return Probe(name=name, kind=kind, html=f"<script>{code}</script>")


def _peer(servers: str) -> str:
    """A peer connection that gathers candidates from these servers."""
    return (
        f"const p = new RTCPeerConnection({{{{iceServers: [{servers}]}}}});"
        " p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))"
    )


def _turn(address: str) -> str:
    return _peer(f"{{{{urls: '{address}', username: 'x', credential: 'x'}}}}")


ADDRESSES: Mapping[str, str] = {
    "localhost": "localhost",
    "a short loopback address": "127.1",
    "another loopback address": "127.0.0.2",
    "a decimal address": "2130706433",
    "a hexadecimal address": "0x7f000001",
    "an octal address": "0177.0.0.1",
    "no address": "0.0.0.0",
    "loopback over IPv6": "[::1]",
    "IPv4 inside IPv6": "[::ffff:127.0.0.1]",
    "the metadata address": "169.254.169.254",
    "Alibaba Cloud's metadata address": "100.100.100.200",
    "10.0.0.0/8": "10.1.2.3",
    "172.16.0.0/12": "172.16.1.2",
    "192.168.0.0/16": "192.168.1.2",
    "100.64.0.0/10": "100.64.1.2",
    "link local": "169.254.1.2",
    "unique local over IPv6": "[fd00::2]",
    "metadata over IPv6": "[fd00:ec2::254]",
}
"""Other names of the foreign host, and addresses of networks inside."""
PORTS: Mapping[str, int] = {
    "Redis": 6379,
    "PostgreSQL": 5432,
    "a role's gRPC": 50051,
    "another browser's DevTools": 9222,
    "the container engine": 2375,
    "a web server": 80,
}
"""Ports of the loopback where an installation's own services may listen."""

_HINTS = {
    "dns-prefetch": "<link rel=dns-prefetch href='//{name}.test'>",
    "preconnect": "<link rel=preconnect href='http://{host}'>",
    "prefetch": "<link rel=prefetch href='{u}'>",
    "prerender": "<link rel=prerender href='{u}'>",
}
_ELEMENTS = {
    "cursor": "<body style='cursor:url({u}c.cur),auto'>x",
    "image set": "<div style='width:9px;height:9px;background:image-set(\"{u}i.png\" 1x)'></div>",
    "list image": "<ul style='list-style-image:url({u}l.png)'><li>x</ul>",
    "image button": "<input type=image src='{u}b.png'>",
    "background attribute": "<table background='{u}t.png'><tr><td>x</table>",
    "alternate style": "<link rel='stylesheet alternate' title=x href='{u}a.css'>",
    "frame set": "<frameset><frame src='{u}f'></frameset>",
    "sandboxed frame": (
        "<iframe sandbox=allow-scripts srcdoc=\"<script>fetch('{u}s', {{mode: 'no-cors'}})"
        '</script>"></iframe>'
    ),
}

MORE: tuple[Probe, ...] = (
    *(_everywhere(name, f"{host}:{{port}}", "address") for name, host in ADDRESSES.items()),
    *(_everywhere(name, f"127.0.0.1:{port}", "loopback port") for name, port in PORTS.items()),
    *(Probe(name=f"hint: {name}", kind="hint", html=html) for name, html in _HINTS.items()),
    *(Probe(name=name, kind="resource", html=html) for name, html in _ELEMENTS.items()),
    _run("STUN over UDP", "peer connection", _peer("{{urls: 'stun:{host}'}}")),
    _run("TURN over UDP", "peer connection", _turn("turn:{host}?transport=udp")),
    _run("TURN over TCP", "peer connection", _turn("turn:{host}?transport=tcp")),
    _run("TURN over TLS", "peer connection", _turn("turns:{host}?transport=tcp")),
    _run(
        "a peer's candidate",
        "peer connection",
        "const a = new RTCPeerConnection(), b = new RTCPeerConnection(); a.createDataChannel('x');"
        " a.createOffer().then(async (o) => {{ await a.setLocalDescription(o); await"
        " b.setRemoteDescription(o); const w = await b.createAnswer(); await"
        " b.setLocalDescription(w); await a.setRemoteDescription(w); await a.addIceCandidate("
        "{{candidate: 'candidate:1 1 udp 2113937151 127.0.0.1 {port} typ host', sdpMid: '0'}}) }})",
    ),
    _run("STUN by name", "name", _peer("{{urls: 'stun:{name}.test:3478'}}")),
    _run("request by name", "name", "fetch('http://{name}.test/').catch(() => 0)"),
    _run("web socket by name", "name", "new WebSocket('ws://{name}.test/')"),
    _run("image by name", "name", "new Image().src = 'https://{name}.test/i'"),
    _run(
        "web transport",
        "connection",
        "new WebTransport('https://{host}/').ready.catch(() => 0)",
    ),
    _run(
        "web transport with a certificate's hash",
        "connection",
        "new WebTransport('https://{host}/', {{serverCertificateHashes: [{{algorithm: 'sha-256',"
        " value: new Uint8Array(32)}}]}}).ready.catch(() => 0)",
    ),
    _run("web socket over TLS", "connection", "new WebSocket('wss://{host}/w')"),
    _run("TLS", "connection", "fetch('https://{host}/', {{mode: 'no-cors'}}).catch(() => 0)"),
    _run(
        "event source of a worker",
        "worker",
        "new Worker(URL.createObjectURL(new Blob(['new EventSource(\"{u}e\")'])))",
    ),
    _run(
        "worker of a worker",
        "worker",
        "new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob(["
        '"fetch(`{u}n`, {{mode: `no-cors`}})"])))\'])))',
    ),
    Probe(
        name="service worker that fetches",
        kind="worker",
        html="<script>navigator.serviceWorker.register('/{name}.js')</script>",
        script="self.oninstall = (e) => e.waitUntil(fetch('{u}sw', {{mode: 'no-cors'}}))",
    ),
    Probe(
        name="security policy's report",
        kind="report",
        html="<img src='/blocked.png'>",
        headers={"Content-Security-Policy": "img-src 'none'; report-uri {u}csp"},
    ),
    Probe(
        name="security policy's trial report",
        kind="report",
        html="<img src='/blocked.png'>",
        headers={"Content-Security-Policy-Report-Only": "img-src 'none'; report-uri {u}csp"},
    ),
    Probe(name="refresh header", kind="navigation", html="x", headers={"Refresh": "0;url={u}"}),
    Probe(
        name="preload header",
        kind="hint",
        html="x",
        headers={"Link": "<{u}p>; rel=preload; as=fetch; crossorigin"},
    ),
    Probe(
        name="preconnect header",
        kind="hint",
        html="x",
        headers={"Link": "<http://{host}>; rel=preconnect"},
    ),
    _run(
        "frame of a file", "scheme", "document.body.innerHTML = '<iframe src=file:///etc/passwd>'"
    ),
    _run("navigation to ftp", "scheme", "location = 'ftp://{host}/'"),
    _run("frame of ftp", "scheme", "document.write('<iframe src=ftp://{host}/></iframe>')"),
    Probe(
        name="window without opener",
        kind="popup",
        click=True,
        html="<button onclick=\"open('{u}', '_blank', 'noopener')\">Go</button>",
    ),
    Probe(
        name="beacon at the end",
        kind="report",
        click=True,
        html=(
            "<script>onpagehide = () => navigator.sendBeacon('{u}b', 'x')</script>"
            "<a href='/other'>Go</a>"
        ),
    ),
    Probe(
        name="redirected download",
        kind="download",
        click=True,
        html="<a href='/redirect?to={u}x.bin' download>Go</a>",
    ),
    Probe(
        name="redirected form",
        kind="redirect",
        click=True,
        html="<form action='/redirect'><input name=to value='{u}'><button>Go</button></form>",
    ),
)

_KINDS: Mapping[str, str] = {
    "redirected image": "redirect",
    "redirected request": "redirect",
    "redirected script": "redirect",
    "twice redirected": "redirect",
    "redirected worker request": "redirect",
    "worker": "worker",
    "worker's script": "worker",
    "service worker": "worker",
    "shared worker": "worker",
    "web socket of a worker": "connection",
    "web socket": "connection",
    "web transport": "connection",
    "peer connection": "peer connection",
    "hints": "hint",
    "preconnect": "hint",
    "speculation": "hint",
    "beacon": "report",
    "report": "report",
    "ping": "report",
    "payment": "browser's own",
    "identity": "browser's own",
    "meta refresh": "navigation",
    "script location": "navigation",
    "frame to top": "navigation",
    "navigation": "navigation",
    "download": "download",
    "new tab": "popup",
    "window": "popup",
    "window, later": "popup",
    "window written": "popup",
    "data": "scheme",
    "data in a frame": "scheme",
    "blob": "scheme",
    "blob window": "scheme",
    "script address": "scheme",
    "script address in a frame": "scheme",
    "filesystem": "scheme",
    "view source": "scheme",
}


def all_probes() -> tuple[Probe, ...]:
    """Every probe, those of the tests included."""
    loads = [
        Probe(name=name, kind=_KINDS.get(name, "resource"), html=html)
        for name, html in LOADS.items()
    ]
    clicks = [
        Probe(name=f"click: {name}", kind=_KINDS.get(name, "navigation"), html=html, click=True)
        for name, html in CLICKS.items()
    ]
    beyond = [_run(f"script: {name}", _KINDS[name], code) for name, code in BEYOND.items()]
    return (*loads, *clicks, *beyond, *MORE)
