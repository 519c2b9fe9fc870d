import {day} from 'fmt'; import dates from 'dates' with {type:'json'}; import sheet from 'market/look.css' with {type:'css'};
document.adoptedStyleSheets=[...document.adoptedStyleSheets,sheet];
export function boot(sel,out){ const go=async()=>{ out.textContent='…'; if(sel.value==='en'){ out.textContent=`Entries for the harvest market close on ${day(dates.close)}`; return; }
  const m=await import(`market/${sel.value}.js`); out.textContent=m.text(dates); out.lang=sel.value; }; sel.onchange=go; go(); }