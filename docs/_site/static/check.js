// Buttons that check a page's certificate, or run its counterexample, in the reader's browser: see check-worker.mjs.
"use strict";

{
  const script = new URL("check-worker.mjs", document.currentScript.src);
  const FROM_A_FILE =
    "This page was opened from a file, and a browser lets no such page load a program. " +
    "`make docs-serve` serves the same pages from this machine; there the button works.";
  const WORDS = {
    json: {
      button: "Check it here", busy: "Checking …", edit: "Change the certificate, and see it refused",
      good: "Accepted. The checker followed every step. ⊢ is what it shows, the lines above it define its letters:", bad: "Refused. The checker says:",
    },
    py: {
      button: "Run it here", busy: "Running …", edit: "Change the numbers, and see what comes out",
      good: "It ran, and the claim fails at these numbers:", bad: "It ran, and does not show that the claim fails:",
    },
  };
  let worker;
  const waiting = new Map();

  const made = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  function ask(name, text, told) {
    waiting.set(name, told);
    if (!worker) {
      worker = new Worker(script, { type: "module" });
      worker.onmessage = ({ data }) => waiting.get(data.name)(data);
      worker.onerror = (event) => stop(`It could not be run: ${event.message || "its program cannot be loaded"}`);
    }
    worker.postMessage({ name, text });
  }

  function stop(why) {
    worker.terminate();
    worker = undefined;
    for (const told of waiting.values()) told({ stopped: why });
    waiting.clear();
  }

  for (const place of document.querySelectorAll(".check")) {
    const link = place.querySelector("a");
    const name = decodeURIComponent(link.pathname.split("/").pop());
    const words = WORDS[name.split(".").pop()];
    const button = made("button", { type: "button", textContent: words.button });
    const status = made("p", { className: "status" });
    status.setAttribute("role", "status");
    const output = made("pre", { hidden: true, tabIndex: 0 });
    const text = made("textarea", { rows: 12, spellcheck: false, ariaLabel: name });
    const edit = made("details", {}, made("summary", { textContent: words.edit }), text);

    const say = (kind, sentence, lines) => {
      place.dataset.state = kind;
      status.textContent = sentence;
      output.textContent = lines ?? "";
      output.hidden = !lines;
    };
    const told = ({ running, stopped, code, said, seconds }) => {
      if (running) return say("busy", words.busy);
      waiting.delete(name);
      button.textContent = words.button;
      if (stopped) return say("bad", stopped);
      const lines = said.replaceAll(`${name}: `, "").trimEnd();
      say(code ? "bad" : "good", code ? words.bad : words.good, `${lines}\n(${seconds.toFixed(1)} s)`);
    };
    const load = async () => {
      if (location.protocol === "file:") return say("bad", FROM_A_FILE);
      if (text.value) return true;
      const answer = await fetch(link.href).catch((error) => ({ statusText: error.message }));
      if (!answer.ok) return say("bad", `${link.href} cannot be loaded: ${answer.statusText}`);
      text.value = await answer.text();
      return true;
    };
    button.addEventListener("click", async () => {
      if (waiting.has(name)) return stop("Stopped.");
      say("busy", "Loading Python, 13 MB the first time …");
      if (!(await load())) return;
      button.textContent = "Stop";
      ask(name, text.value, told);
    });
    edit.addEventListener("toggle", () => edit.open && load());
    place.prepend(button, status, output);
    place.append(edit);
  }
}
