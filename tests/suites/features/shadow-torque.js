const sheet=new CSSStyleSheet(); sheet.replaceSync('.old{display:none} .box{border:2px solid #9a3412;padding:12px;border-radius:8px} ::slotted(span){font-weight:700}');
await new Promise(r=>setTimeout(r,250));
customElements.define('bench-step',class extends HTMLElement{
  #r=this.attachShadow({mode:'closed'});
  set step(s){ this.#r.adoptedStyleSheets=[sheet]; const p=document.createElement('p'); p.textContent=`Tighten the ${s.bolt} to ${s.nm} newton metres`;
    const o=document.createElement('p'); o.className='old'; o.textContent=`Tighten the ${s.bolt} to ${s.was} newton metres`; this.#r.replaceChildren(o,p); } });
customElements.define('bench-manual',class extends HTMLElement{
  #r; connectedCallback(){ this.#r=this.attachShadow({mode:'closed'}); this.#r.adoptedStyleSheets=[sheet];
    this.#r.innerHTML='<div class=box><slot name=name></slot><p>Click for the steps.</p><section></section></div>';
    this.addEventListener('click',async()=>{ const d=await (await fetch('manual.json?model='+this.getAttribute('model'))).json();
      this.#r.querySelector('section').replaceChildren(...d.steps.map(s=>Object.assign(document.createElement('bench-step'),{step:s}))); },{once:true}); } });
