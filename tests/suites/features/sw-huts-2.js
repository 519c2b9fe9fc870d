const V='huts-v7';
self.addEventListener('install',e=>e.waitUntil(caches.open(V).then(c=>c.addAll(['packs/huts.json','packs/wind.json'])).then(()=>self.skipWaiting())));
self.addEventListener('activate',e=>e.waitUntil((async()=>{for(const k of await caches.keys()) if(k!==V) await caches.delete(k); await self.clients.claim();})()));
self.addEventListener('fetch',e=>{ const u=new URL(e.request.url);
  if(!u.pathname.endsWith('/api/forecast')) return;
  e.respondWith((async()=>{ const c=await caches.open(V);
    const huts=await (await c.match('packs/huts.json')).json(), wind=await (await c.match('packs/wind.json')).json(), id=u.searchParams.get('hut');
    return Response.json({text:`${huts[id].name}: gusts to ${wind[id].gust} km/h after ${wind[id].from}, ${huts[id].paths[wind[id].path]} path closed`});
  })()); });