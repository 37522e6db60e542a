"""What a page tries in order to reach a host that it may not reach, as the tests of
leaving try it on a session and on a sandbox.

In a probe `{u}` is an address of the foreign host that ends with a slash, `{host}` its
`host:port`, `{own}` the page's own. `escape_probes` has these and more for
`benchmarks/escapes`, which has the time to hold each one against a browser without a
wall.
"""

from __future__ import annotations

LOADS = {
    "meta refresh": "<meta http-equiv=refresh content='0;url={u}'>",
    "base": "<base href='{u}'><img src=x.png><script src=x.js></script>",
    "image": (
        "<img src='{u}a.png'><img srcset='{u}b.png 2x'><picture><source"
        " srcset='{u}c.png'><img></picture>"
    ),
    "style": (
        "<link rel=stylesheet href='{u}a.css'><style>@import '{u}b.css';"
        " body{{background:url({u}c.png)}}</style>"
    ),
    "font": "<style>@font-face{{font-family:x;src:url({u}f.woff)}}body{{font-family:x}}</style>x",
    "script": "<script src='{u}a.js'></script><script type=module>import '{u}b.js'</script>",
    "import": "<script>import('{u}c.js').catch(() => 0)</script>",
    "hints": (
        "<link rel=preload as=fetch href='{u}a'><link rel=prefetch href='{u}b'><link"
        " rel=modulepreload href='{u}c'><link rel=icon href='{u}i.ico'><link rel=manifest"
        " href='{u}m.json'><link rel=search href='{u}s'>"
    ),
    "media": (
        "<video src='{u}v.mp4' autoplay poster='{u}p.png'></video><audio src='{u}a.mp3'"
        " autoplay></audio><track src='{u}t'>"
    ),
    "embedded": (
        "<object data='{u}o'></object><embed src='{u}e'><iframe src='{u}f'></iframe><portal"
        " src='{u}p'></portal>"
    ),
    "frame in a frame": (
        "<iframe srcdoc=\"<iframe src='{u}'></iframe><img src='{u}x'><meta http-equiv=refresh"
        " content='0;url={u}'>\"></iframe>"
    ),
    "svg": "<svg><image href='{u}a.png'/><use href='{u}u.svg#x'/><script href='{u}s.js'/></svg>",
    "requests": (
        "<script>fetch('{u}a', {{mode: 'no-cors', method: 'POST', body: 'x'}}).catch(() => 0);"
        "const x = new XMLHttpRequest(); x.open('PUT', '{u}b'); x.send();</script>"
    ),
    "event source": "<script>new EventSource('{u}e')</script>",
    "beacon": (
        "<script>navigator.sendBeacon('{u}b', 'x'); fetch('{u}k', {{keepalive: true, mode:"
        " 'no-cors'}}).catch(() => 0)</script>"
    ),
    "report": (
        "<script>new ReportingObserver(() => 0).observe(); try {{ fetchLater('{u}l',"
        " {{activateAfter: 0}}) }} catch {{ }}</script>"
    ),
    "worker": (
        '<script>new Worker(URL.createObjectURL(new Blob([\'fetch("{u}w", {{mode:'
        ' "no-cors"}})\'])))</script>'
    ),
    "worker's script": (
        "<script>new Worker(URL.createObjectURL(new Blob(['importScripts(\"{u}w.js\")'])))</script>"
    ),
    "redirected image": "<img src='/redirect?to={u}r'>",
    "redirected request": (
        "<script>fetch('/redirect?to={u}r', {{mode: 'no-cors'}}).catch(() => 0)</script>"
    ),
    "redirected script": "<script src='/redirect?to={u}r.js'></script>",
    "twice redirected": "<iframe src='/redirect?to=/redirect?to={u}r'></iframe>",
    "redirected worker request": (
        '<script>new Worker(URL.createObjectURL(new Blob([\'fetch("http://{own}/redirect?to={u}w", '
        '{{mode: "no-cors"}})\'])))</script>'
    ),
    "script location": "<script>setTimeout(() => location.replace('{u}'))</script>",
    "frame to top": "<iframe srcdoc=\"<script>top.location = '{u}'</script>\"></iframe>",
    "form": (
        "<form id=f action='{u}' method=post><input name=a"
        " value=b></form><script>f.submit()</script>"
    ),
    "service worker": "<script>navigator.serviceWorker.register('/sw.js').catch(() => 0)</script>",
    "payment": (
        "<script>try {{ new PaymentRequest([{{supportedMethods: '{u}pay'}}], {{total: {{label: 'x',"
        " amount: {{currency: 'EUR', value: '1'}}}}}}).show().catch(() => 0) }} catch {{"
        " }}</script>"
    ),
    "identity": (
        "<script>try {{ navigator.credentials.get({{identity: {{providers: [{{configURL:"
        " '{u}fed.json', clientId: 'x'}}]}}}}).catch(() => 0) }} catch {{ }}</script>"
    ),
}
"""What a page tries as soon as it is open."""

CLICKS = {
    "ping": "<a href='/other' ping='{u}ping'>Go</a>",
    "new tab": "<a href='{u}' target=_blank rel=opener>Go</a>",
    "window": (
        "<button onclick=\"open('{u}', 'x', 'width=200'); open('/redirect?to={u}')\">Go</button>"
    ),
    "window, later": (
        "<button onclick=\"const w = open('about:blank'); w.location = '{u}';"
        " w.fetch?.('{u}').catch(() => 0)\">Go</button>"
    ),
    "window written": (
        "<button onclick=\"const w = open(''); w.document.write('<img src={u}i><iframe"
        " src={u}f></iframe>')\">Go</button>"
    ),
    "form": (
        "<form action='{u}' method=post><input type=hidden name=a"
        " value=b><button>Go</button></form>"
    ),
    "form action": (
        "<form action='/other'><button formaction='{u}' formmethod=post>Go</button></form>"
    ),
    "form to a frame": (
        "<iframe name=t></iframe><form action='{u}' target=t method=post><button>Go</button></form>"
    ),
    "data": "<a href='data:text/html,<img src={u}>'>Go</a>",
    "data in a frame": (
        "<button onclick=\"t.src='data:text/html,<img"
        " src={u}><script>location=`{u}`</script>'\">Go</button><iframe id=t></iframe>"
    ),
    "blob": (
        "<button onclick=\"location = URL.createObjectURL(new Blob(['<img src={u}>'], {{type:"
        " 'text/html'}}))\">Go</button>"
    ),
    "blob window": (
        "<button onclick=\"open(URL.createObjectURL(new Blob(['<img src={u}>'], {{type:"
        " 'text/html'}})))\">Go</button>"
    ),
    "script address": "<a href=\"javascript:location.assign('{u}')\">Go</a>",
    "script address in a frame": (
        "<button onclick=\"t.src='javascript:`<img src={u}>`'\">Go</button><iframe id=t></iframe>"
    ),
    "filesystem": "<a href='filesystem:http://{own}/temporary/x'>Go</a>",
    "download": "<a href='{u}x.bin' download>Go</a>",
    "userinfo": "<a href='http://{own}@{host}/'>Go</a>",
    "another port": "<a href='//{host}/'>Go</a>",
    "view source": "<button onclick=\"open('view-source:{u}')\">Go</button>",
}
"""What a page tries when it is clicked."""

BEYOND = {
    "web socket": "new WebSocket('ws://{host}/s')",
    "web socket of a worker": (
        "new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"ws://{host}/w\")'])))"
    ),
    "peer connection": (
        "const p = new RTCPeerConnection({{iceServers: [{{urls: ['stun:{host}',"
        " 'turn:{host}?transport=tcp'], username: 'x', credential: 'x'}}]}});"
        " p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o))"
    ),
    "web transport": (
        "try {{ new WebTransport('https://{host}/').ready.catch(() => 0) }} catch {{ }}"
    ),
    "shared worker": (
        'new SharedWorker(URL.createObjectURL(new Blob([\'fetch("{u}s", {{mode: "no-cors"}})\'])))'
    ),
    "speculation": (
        "const s = document.createElement('script'); s.type = 'speculationrules'; s.text ="
        " JSON.stringify({{prefetch: [{{source: 'list', urls: ['{u}s']}}], prerender: [{{source:"
        " 'list', urls: ['{u}t']}}]}}); document.head.append(s)"
    ),
    "navigation": "document.body.insertAdjacentHTML('beforeend', '<iframe src={u}></iframe>')",
    "preconnect": (
        "document.head.insertAdjacentHTML('beforeend', '<link rel=preconnect href={u}><link"
        " rel=dns-prefetch href={u}>')"
    ),
}
"""What makes connections without a request that the browser's interception is asked
about: the sandbox's proxy is the wall."""
