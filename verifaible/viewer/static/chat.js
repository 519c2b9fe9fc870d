// Follows an answer as it is written; a page that is loaded again shows the same.
"use strict";

{
  const turns = document.getElementById("turns");
  const told = document.getElementById("told");
  const atFoot = () => window.innerHeight + window.scrollY > document.documentElement.scrollHeight - 160;

  // A turn under way is asked for again and again; what was opened in it stays open.
  const follow = async (turn) => {
    while (turn.dataset.state === "running") {
      await new Promise((done) => setTimeout(done, 400));
      let answer;
      try {
        answer = await fetch(`${turn.dataset.address}?seen=${turn.dataset.seen}`);
        if (answer.status === 204) continue;
        if (!answer.ok) { location.reload(); return; } // the conversation was deleted
      } catch {
        turn.querySelector("[role=status]").textContent = "The connection was lost. Trying again.";
        continue;
      }
      const holder = document.createElement("template");
      holder.innerHTML = await answer.text(); // ours: every word of others in it is escaped
      const fresh = holder.content.firstElementChild;
      for (const open of turn.querySelectorAll(".call:has(> details[open])")) {
        const same = fresh.querySelector(`#${open.id} > details`);
        if (same) same.open = true;
      }
      const [foot, held] = [atFoot(), turn.contains(document.activeElement)];
      turn.replaceWith(fresh);
      turn = fresh;
      if (held) turn.focus({ preventScroll: true });
      if (foot) window.scrollTo({ top: document.documentElement.scrollHeight });
    }
    told.textContent = "The answer has ended.";
  };
  for (const turn of turns.querySelectorAll("[data-state=running]")) follow(turn);

  // Enter sends; while words are being composed it chooses one.
  const prompt = document.getElementById("prompt");
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (prompt.value.trim()) prompt.form.requestSubmit();
  });
}
