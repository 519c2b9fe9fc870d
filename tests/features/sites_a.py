"""Sites 1 to 10: sockets, streams, workers, stores, ranges, GraphQL, JSONP."""
import gzip, hashlib, json, struct, threading
from tests.features.common import shell

A, B, PAGES = {}, {}, []


def page(id, feature, path, quote=None, steps=(), **kw):
    PAGES.append({"id": id, "feature": feature, "path": path, "steps": list(steps), "quote": quote,
                  **kw, "capturable": kw.get("capturable", True)})


def at(path, where=A):
    def deco(f):
        where[path] = f
        return f
    return deco


def click(s, ms=300): return {"type": "click", "selector": s, "wait_ms": ms}
def typ(s, v, ms=300): return {"type": "type", "selector": s, "value": v, "wait_ms": ms}
def sel(s, v, ms=300): return {"type": "select", "selector": s, "value": v, "wait_ms": ms}
def press(s, v, ms=300): return {"type": "press", "selector": s, "value": v, "wait_ms": ms}
def wait(ms): return {"type": "wait", "wait_ms": ms}


# 1 ------------------------------------------------------------------ WebSocket
page("ws-departures", "WebSocket feed: subscribe message, snapshot, then text and binary deltas",
     "/ws-departures/", None, [sel("#stop", "quay", 2500)],
     row="14 Marsh Lane", column="Expected", value="10:52")


@at("/ws-departures/")
def _(r):
    r.send(shell("Departures", "Havenbrook Buses", """
<h1>Live departures</h1>
<p><label>Stop <select id="stop"><option value="">Choose a stop</option><option value="quay">Fish Quay</option>
<option value="minster">Minster Yard</option></select></label> <span id="state" class="muted">Not connected</span></p>
<table id="board" hidden><thead><tr><th>Service</th><th>Due</th><th>Expected</th><th>Bay</th></tr></thead><tbody></tbody></table>
<p id="alert" role="status"></p>
<script>
let ws, rows = {}, rid;
const state = document.getElementById('state'), tb = document.querySelector('#board tbody');
function draw(){ tb.replaceChildren(...Object.values(rows).sort((a,b)=>a.due<b.due?-1:1).map(x=>{
  const tr=document.createElement('tr'); for (const v of [x.service,x.due,x.expected,x.bay]){const td=document.createElement('td');td.textContent=v;tr.append(td)} return tr;})); }
function connect(stop){
  if (ws) { ws.onclose=null; ws.close(); }
  rows={}; draw(); rid=Math.random().toString(36).slice(2);
  state.textContent='Connecting…';
  ws=new WebSocket(location.origin.replace('http','ws')+'/ws-departures/feed?v=3','board.v3');
  ws.binaryType='arraybuffer';
  ws.onopen=()=>ws.send(JSON.stringify({op:'subscribe',stop,rid}));
  ws.onmessage=e=>{
    const m=JSON.parse(typeof e.data==='string'?e.data:new TextDecoder().decode(e.data));
    if (m.rid!==rid) return;                       // an answer to somebody else's question
    if (m.op==='snapshot'){ for(const x of m.rows) rows[x.id]=x; document.getElementById('board').hidden=false; state.textContent='Live'; }
    if (m.op==='delta') Object.assign(rows[m.id],m.set);
    if (m.op==='alert') document.getElementById('alert').textContent=m.text;
    draw();
  };
  ws.onclose=()=>{ state.textContent='Connection lost, trying again'; setTimeout(()=>connect(stop),1500); };
}
document.getElementById('stop').onchange=e=>e.target.value&&connect(e.target.value);
</script>""", color="#7c2d12", nav=("Departures", "Tickets", "Lost property")))


@at("/ws-departures/feed")
def _(r):
    if r.headers.get("Upgrade", "").lower() != "websocket":
        return r.send("Upgrade required", "text/plain", 426)
    ws = r.websocket()
    m = ws.recv()
    if not m:
        return
    m = json.loads(m)
    rid = m.get("rid")
    threading.Thread(target=lambda: [None for _ in iter(ws.recv, None)], daemon=True).start()
    rows = [{"id": "a", "service": "9 Saltmarket", "due": "10:41", "expected": "On time", "bay": "A"},
            {"id": "b", "service": "14 Marsh Lane", "due": "10:45", "expected": "10:47", "bay": "C"},
            {"id": "c", "service": "22 Königsweg", "due": "10:58", "expected": "On time", "bay": "B"}]
    if m.get("stop") != "quay":
        rows = rows[:1]
    ws.split_text({"op": "snapshot", "rid": rid, "rows": rows})
    if m.get("stop") == "quay":
        r.stopping.wait(.3)
        ws.text({"op": "delta", "rid": rid, "id": "a", "set": {"expected": "10:43"}})
        r.stopping.wait(.3)
        ws.binary(json.dumps({"op": "delta", "rid": rid, "id": "b", "set": {"expected": "10:52", "bay": "D"}}).encode())
        r.stopping.wait(.3)
        ws.text({"op": "alert", "rid": rid, "text": "Service 14 uses bay D because of gas works."})
    while ws.open and not r.stopping.wait(2):
        ws.text({"op": "beat", "rid": rid})


# 2 ------------------------------------------------------------------ SSE
page("sse-count", "server-sent events that go on replacing the figure; the stream never ends",
     "/sse-count/", "Turnout in Ostermark is 61.3 per cent with 4 of 4 districts counted", [wait(2500)])


@at("/sse-count/")
def _(r):
    r.send(shell("Count night", "The Ostermark Herald", """
<h1>Count night: the results as they come in</h1><p class="muted">By our own staff in the town halls</p>
<div class="card"><p id="turnout">Waiting for the first district…</p><div id="bar" style="height:10px;background:#991b1b;width:0;transition:width .4s"></div></div>
<ol id="log" reversed></ol>
<script>
const es=new EventSource('events?room=ostermark');
es.addEventListener('count',e=>{const d=JSON.parse(e.data);
 document.getElementById('turnout').textContent=`Turnout in Ostermark is ${d.turnout.toFixed(1)} per cent with ${d.n} of 4 districts counted`;
 document.getElementById('bar').style.width=d.n*25+'%';});
es.addEventListener('note',e=>{const li=document.createElement('li');li.textContent=e.data;document.getElementById('log').prepend(li)});
es.onerror=()=>{ if(es.readyState===2) document.getElementById('turnout').textContent='The live count is not available.'; };
</script>""", kind="news", color="#7f1d1d", nav=("Home", "Politics", "Region", "Sport")))


@at("/sse-count/events")
def _(r):
    last = int(r.headers.get("Last-Event-ID") or 0)

    def parts():
        yield ": welcome\nretry: 4000\n\n"
        for n, t, town in ((1, 48.9, "Brünn Street school"), (2, 55.1, "Old Maltings"), (3, 63.7, "Harbour office"), (4, 61.3, "St Olave's hall")):
            if n <= last:
                continue
            yield .35
            yield f"event: note\ndata: {town} has\ndata:  declared\n\nid: {n}\nevent: count\ndata: " + json.dumps({"n": n, "turnout": t})
            yield .05
            yield "\n\n"
        while not r.stopping.is_set():
            yield 3
            yield ": keep\n\n"
    r.stream(parts(), "text/event-stream")


# 3 ------------------------------------------------------------------ NDJSON
page("ndjson-grants", "fetch() streaming response: NDJSON lines read from a ReadableStream as chunks come",
     "/ndjson-grants/", None, [sel("#year", "2025"), click("#run", 2000)],
     row="Zoë Hålström", column="Grant (€)", value="48,200")


@at("/ndjson-grants/")
def _(r):
    r.send(shell("Grant register", "Norrland Research Council", """
<h1>Register of grants</h1>
<p><select id="year"><option>2024</option><option>2025</option></select> <button id="run">Run query</button> <span id="n" class="muted"></span></p>
<table><thead><tr><th>Holder</th><th>Field</th><th>Grant (€)</th></tr></thead><tbody id="t"></tbody></table>
<script type="module">
run.onclick=async()=>{
  t.replaceChildren(); let n=0;
  const res=await fetch('query',{method:'POST',headers:{'content-type':'application/json',accept:'application/x-ndjson'},body:JSON.stringify({year:+year.value,fields:['holder','field','sum']})});
  let buf='';
  const rd=res.body.pipeThrough(new TextDecoderStream()).getReader();
  for(;;){ const {value,done}=await rd.read(); if(done)break; buf+=value;
    let i; while((i=buf.indexOf('\\n'))>=0){ const line=buf.slice(0,i); buf=buf.slice(i+1); if(!line)continue;
      const d=JSON.parse(line); if(d.end){ document.getElementById('n').textContent=`${d.end} grants, complete`; continue; }
      const tr=t.insertRow(); for(const v of [d.holder,d.field,d.sum.toLocaleString('en-GB')]) tr.insertCell().textContent=v; document.getElementById('n').textContent=`${++n} so far`; } }
  if(buf) document.getElementById('n').textContent='The answer was cut short';
};
</script>""", color="#1e3a8a", nav=("Register", "Calls", "Reports")))


@at("/ndjson-grants/query")
def _(r):
    q = json.loads(r.body or b"{}")
    rows = {2025: [("Ines Vårdahl", "Peat chemistry", 112000), ("Zoë Hålström", "Lichen clocks", 48200), ("Piet Øverby", "River ice", 73950), ("Märta Sjö", "Folk tunings", 20400)],
            2024: [("Zoë Hålström", "Lichen clocks", 41700)]}.get(q.get("year"), [])
    data = "".join(json.dumps({"holder": a, "field": b, "sum": c}, ensure_ascii=False) + "\n" for a, b, c in rows).encode() + b'{"end":%d}\n' % len(rows)

    def parts():
        for i in range(0, len(data), 37):  # cuts fall inside characters
            yield data[i:i + 37]
            yield .12
    r.stream(parts(), "application/x-ndjson", [("X-Accel-Buffering", "no")])


# 4 ------------------------------------------------------------------ service worker
page("sw-huts", "service worker composes an API answer from its caches; the network has no such address",
     "/sw-huts/", "Kestrel Hut: gusts to 74 km/h after 18:00, ridge path closed", [wait(1500), click("#show", 800)])


@at("/sw-huts/")
def _(r):
    r.send(shell("Hut weather", "Fellside Hut Weather", """
<h1>Hut weather, also without a signal</h1><p id="sw" class="muted">Preparing the offline copy…</p>
<button id="show" disabled>Show Kestrel Hut</button><div class="card" id="out">No hut chosen.</div>
<script>
(async()=>{
  await navigator.serviceWorker.register('sw.js',{scope:'./'});
  await navigator.serviceWorker.ready;
  if(!navigator.serviceWorker.controller) await new Promise(ok=>navigator.serviceWorker.addEventListener('controllerchange',ok,{once:true}));
  document.getElementById('sw').textContent='Offline copy ready'; show.disabled=false;
})().catch(e=>document.getElementById('sw').textContent='No offline copy: '+e.message);
show.onclick=async()=>{ const r=await fetch('api/forecast?hut=kestrel'); out.textContent=r.ok?(await r.json()).text:'Forecast not found ('+r.status+')'; };
</script>""", color="#334155", nav=("Huts", "Paths", "Rescue")))


@at("/sw-huts/sw.js")
def _(r):
    r.send("""const V='huts-v7';
self.addEventListener('install',e=>e.waitUntil(caches.open(V).then(c=>c.addAll(['packs/huts.json','packs/wind.json'])).then(()=>self.skipWaiting())));
self.addEventListener('activate',e=>e.waitUntil((async()=>{for(const k of await caches.keys()) if(k!==V) await caches.delete(k); await self.clients.claim();})()));
self.addEventListener('fetch',e=>{ const u=new URL(e.request.url);
  if(!u.pathname.endsWith('/api/forecast')) return;
  e.respondWith((async()=>{ const c=await caches.open(V);
    const huts=await (await c.match('packs/huts.json')).json(), wind=await (await c.match('packs/wind.json')).json(), id=u.searchParams.get('hut');
    return Response.json({text:`${huts[id].name}: gusts to ${wind[id].gust} km/h after ${wind[id].from}, ${huts[id].paths[wind[id].path]} path closed`});
  })()); });""", "text/javascript", headers=[("Cache-Control", "max-age=0")])


@at("/sw-huts/packs/huts.json")
def _(r): r.json({"kestrel": {"name": "Kestrel Hut", "paths": ["lake", "ridge"]}, "linnet": {"name": "Linnet Hut", "paths": ["gully"]}})
@at("/sw-huts/packs/wind.json")
def _(r): r.json({"kestrel": {"gust": 74, "from": "18:00", "path": 1}, "linnet": {"gust": 31, "from": "21:00", "path": 0}})


# 5 ------------------------------------------------------------------ blob worker, gzip in JS, large data
page("worker-levels", "Web Worker from a blob: URL gunzips (DecompressionStream) and filters 24,000 rows; virtual table",
     "/worker-levels/", None, [wait(1500), typ("#q", "Vellan Weir 17", 900)],
     row="Vellan Weir 17", column="Level (m)", value="3.406")


def _levels():
    names, x, out = ["Arden Lock", "Brack Mill", "Corrie Foot", "Dunsey Ford", "Vellan Weir", "Whin Pool"], 7, ["station,river,level,trend"]
    for i in range(24000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        lev = f"{(x >> 8) % 9000 / 1000:.3f}"
        st = f"{names[i % 6]} {i // 6}"
        if st == "Vellan Weir 17":
            lev = "3.406"
        out.append(f"{st},{['Esk', 'Orne', 'Tarr'][x % 3]},{lev},{'rising' if x & 64 else 'falling'}")
    return gzip.compress("\n".join(out).encode(), 6, mtime=0)


_lv = []


@at("/worker-levels/levels.csv.gz")
def _(r):
    if not _lv:
        _lv.append(_levels())
    r.send(_lv[0], "application/octet-stream", headers=[("Cache-Control", "public, max-age=600")])


@at("/worker-levels/")
def _(r):
    r.send(shell("River levels", "Rivers Authority open data", """
<h1>River levels, every station</h1><p><input id="q" placeholder="Station name"> <span id="n" class="muted">Loading the national file…</span></p>
<div id="view" style="height:320px;overflow:auto;position:relative"><div id="pad"></div>
<table style="position:absolute;top:0;left:0"><thead><tr><th>Station</th><th>River</th><th>Level (m)</th><th>Trend</th></tr></thead><tbody id="t"></tbody></table></div>
<script id="w" type="text/plain">
let rows=[];
onmessage=async e=>{ const m=e.data;
 if(m.load){ const r=await fetch(m.load); const s=r.body.pipeThrough(new DecompressionStream('gzip')); const txt=await new Response(s).text();
   rows=txt.split('\\n').slice(1).map(l=>l.split(',')); postMessage({ready:rows.length}); }
 if('find' in m){ const q=m.find.toLowerCase(); const hit=rows.filter(x=>x[0].toLowerCase().startsWith(q)).sort((a,b)=>a[0].length-b[0].length);
   const enc=new TextEncoder().encode(JSON.stringify(hit.slice(m.from,m.from+12))).buffer; postMessage({seq:m.seq,total:hit.length,from:m.from,rows:enc},[enc]); } };
</script>
<script>
const wk=new Worker(URL.createObjectURL(new Blob([document.getElementById('w').textContent],{type:'text/javascript'})));
let seq=0; const ask=()=>wk.postMessage({find:q.value,from:Math.floor(view.scrollTop/38),seq:++seq});
wk.onmessage=e=>{const m=e.data; if(m.ready){n.textContent=m.ready.toLocaleString('en-GB')+' stations'; ask(); return;}
 if(m.seq!==seq)return; n.textContent=m.total.toLocaleString('en-GB')+' stations match'; pad.style.height=m.total*38+'px';
 const table=t.parentNode; table.style.transform=`translateY(${m.from*38}px)`;
 t.replaceChildren(...JSON.parse(new TextDecoder().decode(m.rows)).map(x=>{const tr=document.createElement('tr');for(const v of x){const d=document.createElement('td');d.textContent=v;tr.append(d)}return tr;})); };
q.oninput=()=>{view.scrollTop=0;ask()}; view.onscroll=()=>requestAnimationFrame(ask);
wk.postMessage({load:new URL('levels.csv.gz',location).href});
</script>""", color="#075985", nav=("Levels", "Floods", "API")))


# 6 ------------------------------------------------------------------ SharedWorker
page("shared-auction", "SharedWorker holds the data for the page and a same-origin frame (BroadcastChannel between them)",
     "/shared-auction/", "Lot 212 stands at 3,450 crowns with paddle 88", [wait(1200), click("#watch", 1500)])


@at("/shared-auction/")
def _(r):
    r.send(shell("Lot 212", "Porter's Row Auctions", """
<h1>Lot 212: a ship's barometer, brass, about 1880</h1>
<p>Estimate 2,000 to 2,800 crowns.</p><button id="watch">Watch this lot</button>
<div class="card" id="bid">You are not watching.</div><p class="muted" id="peers"></p>
<iframe src="panel.html" style="width:100%;height:90px;border:1px solid #ccc" title="Room panel"></iframe>
<script>
const sw=new SharedWorker('hub.js',{name:'room'}), p=sw.port; p.start();
p.onmessage=e=>{ const m=e.data; if(m.peers) peers.textContent=m.peers+' windows of yours are in the room';
  if(m.lot) bid.textContent=`Lot ${m.lot} stands at ${m.amount.toLocaleString('en-GB')} crowns with paddle ${m.paddle}`; };
p.postMessage({op:'hello'});
watch.onclick=()=>{ bid.textContent='Asking the room…'; p.postMessage({op:'watch',lot:212}); };
</script>""", color="#4a044e", nav=("Today", "Catalogues", "Sell")))


@at("/shared-auction/panel.html")
def _(r):
    r.send("""<!doctype html><meta charset=utf-8><title>Room panel</title><body style="font:14px sans-serif"><p id=p>Room panel</p><script>
const sw=new SharedWorker('hub.js',{name:'room'}); sw.port.onmessage=e=>{ if(e.data.lot) document.getElementById('p').textContent='Hammer not yet down on lot '+e.data.lot; };
sw.port.postMessage({op:'hello'});
new BroadcastChannel('floor').onmessage=e=>{ if(e.data.need==='paddle') sw.port.postMessage({op:'paddle',lot:e.data.lot,paddle:88}); };
</script>""")


@at("/shared-auction/hub.js")
def _(r):
    r.send("""const ports=[]; const floor=new BroadcastChannel('floor'); const lots={};
const all=m=>ports.forEach(p=>p.postMessage(m));
onconnect=e=>{ const p=e.ports[0]; ports.push(p);
 p.onmessage=async ev=>{ const m=ev.data;
  if(m.op==='hello') all({peers:ports.length});
  if(m.op==='watch'){ const b=await (await fetch('bids/'+m.lot+'.json')).json(); lots[m.lot]=b.opening+b.steps.reduce((a,c)=>a+c,0); floor.postMessage({need:'paddle',lot:m.lot}); }
  if(m.op==='paddle') all({lot:m.lot,amount:lots[m.lot],paddle:m.paddle}); }; p.start(); };""", "text/javascript")


@at("/shared-auction/bids/212.json")
def _(r): r.json({"opening": 1800, "steps": [200, 250, 400, 300, 500]})


# 7 ------------------------------------------------------------------ IndexedDB + conditional requests
page("idb-library", "IndexedDB copy checked by If-None-Match: the same address answers 200, then 304 without a body",
     "/idb-library/", "Verified today: The Salt Ledger, 3 copies on the shelf at Dunmore", [wait(900), click("#check", 1000)])
_CAT = json.dumps({"books": [{"t": "The Salt Ledger", "copies": 3, "at": "Dunmore"}, {"t": "Fen Almanack", "copies": 0, "at": "Dunmore"}]}).encode()
_TAG = '"' + hashlib.sha1(_CAT).hexdigest()[:16] + '"'


@at("/idb-library/catalogue.json")
def _(r):
    if r.headers.get("If-None-Match") == _TAG:
        return r.send(b"", None, 304, [("ETag", _TAG), ("X-Checked", "yes")])
    r.send(_CAT, "application/json", headers=[("ETag", _TAG), ("Cache-Control", "no-store")])


@at("/idb-library/")
def _(r):
    r.send(shell("Shelf check", "Dunmore Libraries", """
<h1>Is it on the shelf?</h1><p>The catalogue is kept on your device.</p><p id="src" class="muted">Opening…</p>
<ul id="list"></ul><button id="check">Check with the branch</button><p id="ok"></p>
<script type="module">
const db=await new Promise((ok,no)=>{const q=indexedDB.open('library',2); q.onupgradeneeded=()=>{q.result.createObjectStore('kv')}; q.onsuccess=()=>ok(q.result); q.onerror=()=>no(q.error)});
const tx=(mode,f)=>new Promise((ok,no)=>{const t=db.transaction('kv',mode),q=f(t.objectStore('kv')); t.oncomplete=()=>ok(q.result); t.onerror=()=>no(t.error)});
let c=await tx('readonly',s=>s.get('cat')), from='your device';
if(!c){ const r=await fetch('catalogue.json'); c={tag:r.headers.get('etag'),blob:await r.blob()}; await tx('readwrite',s=>s.put(c,'cat')); from='the network'; }
const show=async()=>{const d=JSON.parse(await c.blob.text()); list.replaceChildren(...d.books.map(b=>Object.assign(document.createElement('li'),{textContent:b.t+' ('+b.at+')'}))); return d;};
await show(); src.textContent='Catalogue from '+from;
check.onclick=async()=>{ const r=await fetch('catalogue.json',{headers:{'If-None-Match':c.tag}});
  if(r.status===304){ c=await tx('readonly',s=>s.get('cat')); const b=(await show()).books[0]; ok.textContent=`Verified today: ${b.t}, ${b.copies} copies on the shelf at ${b.at}`; }
  else ok.textContent='The catalogue has changed, please open this page again.'; };
</script>""", color="#3f6212", nav=("Search", "My loans", "Branches")))


# 8 ------------------------------------------------------------------ Range requests
page("range-parcels", "HTTP Range requests (206) into one big indexed file, several parts of the same address",
     "/range-parcels/", "Parcel 30418: 1,276 square metres, orchard, no charges registered",
     [typ("#no", "30418"), click("#lookup", 1500)])


def _parcels():
    uses = ["meadow", "orchard", "house plot", "forest", "road"]
    recs = []
    for n in range(30000, 33000):
        area = (n * 7919) % 8000 + 150
        use = uses[(n * 31) % 5]
        if n == 30418:
            area, use = 1276, "orchard"
        recs.append(f"{n}|{area}|{use}|{n % 3 if n != 30418 else 0}|".encode().ljust(64, b"."))
    idx = b"".join(struct.pack(">II", 30000 + i * 100, 16 + 240 + i * 6400) for i in range(30))
    return b"PARC\0\0\0\1" + struct.pack(">II", 30, 64) + idx + b"".join(recs)


_P = []


@at("/range-parcels/parcels.bin")
def _(r):
    if not _P:
        _P.append(_parcels())
    d = _P[0]
    hs = [("Accept-Ranges", "bytes"), ("ETag", '"parc-7"'), ("Cache-Control", "max-age=600")]
    rg = r.headers.get("Range")
    if not rg:
        return r.send(d, "application/octet-stream", headers=hs)
    a, _, b = rg.partition("=")[2].partition("-")
    a, b = int(a), min(int(b or len(d) - 1), len(d) - 1)
    if a >= len(d):
        return r.send(b"", None, 416, [("Content-Range", f"bytes */{len(d)}")])
    r.send(d[a:b + 1], "application/octet-stream", 206, hs + [("Content-Range", f"bytes {a}-{b}/{len(d)}")])


@at("/range-parcels/")
def _(r):
    r.send(shell("Land register", "Land Register of Varn", """
<h1>Look up a parcel</h1><p><input id="no" inputmode="numeric" placeholder="Parcel number"> <button id="lookup">Look up</button></p><p id="out" class="card">Enter a number between 30000 and 32999.</p>
<script type="module">
const part=async(a,b)=>{ const r=await fetch('parcels.bin',{headers:{Range:`bytes=${a}-${b}`}}); if(r.status!==206) throw new Error('the register server sent status '+r.status); const v=await r.arrayBuffer(); if(v.byteLength!==b-a+1) throw new Error('the part is short'); return new DataView(v); };
lookup.onclick=async()=>{ try{
  const h=await part(0,15), n=h.getUint32(8), w=h.getUint32(12), ix=await part(16,16+n*8-1), want=+no.value; let base=0,off=0;
  for(let i=0;i<n;i++) if(ix.getUint32(i*8)<=want){base=ix.getUint32(i*8);off=ix.getUint32(i*8+4)}
  const rec=await part(off+(want-base)*w,off+(want-base)*w+w-1), [id,area,use,ch]=new TextDecoder().decode(rec).split('|');
  out.textContent=`Parcel ${id}: ${(+area).toLocaleString('en-GB')} square metres, ${use}, ${+ch?ch+' charges':'no charges'} registered`;
 }catch(e){ out.textContent='Sorry, '+e.message; } };
</script>""", color="#44403c", nav=("Parcels", "Owners", "Fees")))


# 9 ------------------------------------------------------------------ GraphQL
page("graphql-shop", "GraphQL: many POSTs to one address, told apart only by the body; cursor pagination",
     "/graphql-shop/", "Second winter on the fells and the seams still hold, writes Oda M.",
     [wait(700), click("#reviews", 900), click("#more", 900)])


@at("/graphql-shop/")
def _(r):
    r.send(shell("Grindal rucksack", "Tarn & Torrent", """
<div id="app">Loading…</div><h2>Reviews</h2><button id="reviews">Show reviews</button><div id="rv"></div><button id="more" hidden>More reviews</button>
<script type="module">
const gql=async(operationName,query,variables)=>{ const r=await fetch('/graphql-shop/graphql',{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify({operationName,query,variables})}); const j=await r.json(); if(j.errors) throw new Error(j.errors[0].message); return j.data; };
const {product}=await gql('Product','query Product($id:ID!){product(id:$id){name price stock}}',{id:'gr-38'});
app.innerHTML=`<h1>${product.name}</h1><p class="card">${product.price} · ${product.stock} in stock</p>`;
let after=null;
const load=async()=>{ const {reviews}=await gql('Reviews','query Reviews($id:ID!,$first:Int!,$after:String){reviews(id:$id,first:$first,after:$after){edges{node{text}}pageInfo{endCursor hasNextPage}}}',{id:'gr-38',first:2,after});
  for(const e of reviews.edges){const p=document.createElement('p');p.className='card';p.textContent=e.node.text;rv.append(p)} after=reviews.pageInfo.endCursor; more.hidden=!reviews.pageInfo.hasNextPage; };
reviews.onclick=()=>{reviews.hidden=true;load()}; more.onclick=load;
</script>""", color="#115e59", nav=("Packs", "Tents", "Sale")))


@at("/graphql-shop/graphql")
def _(r):
    q = json.loads(r.body or b"{}")
    v = q.get("variables") or {}
    if q.get("operationName") == "Product":
        return r.json({"data": {"product": {"name": "Grindal 38 l rucksack", "price": "1,190 crowns", "stock": 17}}})
    rv = ["Good straps, says Bent K.", "The lid pocket is too small for me, says Ylva.", "Second winter on the fells and the seams still hold, writes Oda M.", "Came a day late, writes Per."]
    i = int(str(v.get("after") or "c0")[1:])
    r.json({"data": {"reviews": {"edges": [{"node": {"text": t}} for t in rv[i:i + v["first"]]],
                                 "pageInfo": {"endCursor": f"c{i + 2}", "hasNextPage": i + 2 < len(rv)}}}})


# 10 ----------------------------------------------------------------- JSONP
page("jsonp-ferry", "JSONP from another origin with a random callback name and a time-stamp in the address",
     "/jsonp-ferry/", "Sailings to Innisvale are suspended until 16:40 because of swell", [click("#now", 900)])


@at("/jsonp-ferry/")
def _(r):
    r.send(shell("Ferry status", "Innis Sound Ferries", """
<h1>Are we sailing?</h1><button id="now">Status now</button><p class="card" id="s">Press the button for the latest.</p>
<script>
document.getElementById('now').onclick=function(){
  var cb='jq'+String(Math.random()).slice(2)+'_'+Date.now(), el=document.createElement('script'), done=false;
  window[cb]=function(d){ done=true; document.getElementById('s').textContent='Sailings to '+d.route+' are '+d.state+' until '+d.until+' because of '+d.why; delete window[cb]; el.remove(); };
  el.src='@@B@@/jsonp-ferry/status.js?callback='+cb+'&_='+Date.now(); el.onerror=function(){document.getElementById('s').textContent='Status not available.'};
  document.head.appendChild(el);
  setTimeout(function(){ if(!done) document.getElementById('s').textContent='Status not available.'; },5000);
};
</script>""", color="#1e40af", nav=("Status", "Timetable", "Fares")))


@at("/jsonp-ferry/status.js", B)
def _(r):
    cb = "".join(c for c in r.query.get("callback", "cb") if c.isalnum() or c == "_")
    r.send(f'/**/{cb}({json.dumps({"route": "Innisvale", "state": "suspended", "until": "16:40", "why": "swell"})});', "text/javascript")
