const ports=[]; const floor=new BroadcastChannel('floor'); const lots={};
const all=m=>ports.forEach(p=>p.postMessage(m));
onconnect=e=>{ const p=e.ports[0]; ports.push(p);
 p.onmessage=async ev=>{ const m=ev.data;
  if(m.op==='hello') all({peers:ports.length});
  if(m.op==='watch'){ const b=await (await fetch('bids/'+m.lot+'.json')).json(); lots[m.lot]=b.opening+b.steps.reduce((a,c)=>a+c,0); floor.postMessage({need:'paddle',lot:m.lot}); }
  if(m.op==='paddle') all({lot:m.lot,amount:lots[m.lot],paddle:m.paddle}); }; p.start(); };