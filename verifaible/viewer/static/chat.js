// Follows an answer as it is written; a page that is loaded again shows the same.
"use strict";

{
  const turns = document.getElementById("turns");
  const drawn = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html; // ours: every word of others in it is escaped
    return holder.content.firstElementChild;
  };
  const fetched = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) { location.reload(); throw new Error(answer.statusText); } // the conversation was deleted
    return drawn(await answer.text());
  };
  const atFoot = () => window.innerHeight + window.scrollY > document.documentElement.scrollHeight - 160;
  const toFoot = (was) => { if (was) window.scrollTo({ top: document.documentElement.scrollHeight }); };

  // A turn under way: calls take their places, words are added, and the finished turn takes the place of it all.
  const follow = (turn) => {
    const calls = turn.querySelector(".calls");
    const words = turn.querySelector(".writing");
    const status = turn.querySelector("[role=status]");
    const saying = status.textContent;
    const source = new EventSource(`${turn.dataset.address}/events?after=${turn.dataset.seen}`);
    source.addEventListener("open", () => { status.textContent = saying; });
    source.addEventListener("error", () => { status.textContent = turns.dataset.lost; });
    source.addEventListener("call", (event) => {
      const { id, html } = JSON.parse(event.data);
      const foot = atFoot();
      const call = drawn(html);
      const before = document.getElementById(id);
      if (before) {
        call.querySelector("details").open = before.querySelector("details").open;
        before.replaceWith(call);
      } else calls.append(call);
      toFoot(foot);
    });
    source.addEventListener("text", (event) => {
      const foot = atFoot();
      const { text, anew } = JSON.parse(event.data);
      if (anew) words.textContent = "";
      words.append(text);
      toFoot(foot);
    });
    source.addEventListener("end", async () => {
      source.close();
      const foot = atFoot();
      const held = turn.contains(document.activeElement);
      const whole = await fetched(turn.dataset.address);
      turn.replaceWith(whole);
      if (held) whole.focus({ preventScroll: true });
      toFoot(foot);
      document.getElementById("told").textContent = turns.dataset.ended;
      other.postMessage(whole.dataset.address);
    });
  };

  // Another page of this conversation has asked, or has its answer.
  const other = new BroadcastChannel(`chat-${turns.dataset.conversation}`);
  other.addEventListener("message", async ({ data }) => {
    const turn = await fetched(data);
    const before = document.getElementById(turn.id);
    if (before && before.dataset.state === turn.dataset.state) return;
    if (before) before.replaceWith(turn); else turns.append(turn);
    if (turn.dataset.state === "running") follow(turn);
  });
  for (const turn of turns.querySelectorAll("[data-state=running]")) {
    other.postMessage(turn.dataset.address);
    follow(turn);
  }

  // Enter sends; while words are being composed it chooses one.
  const prompt = document.getElementById("prompt");
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (prompt.value.trim()) prompt.form.requestSubmit();
  });
}
