// What is folded in a large page is loaded when it is unfolded: see folds.py.
"use strict";

document.addEventListener(
  "toggle",
  async ({ target }) => {
    const link = target.open && target.querySelector(":scope > p > a.rest");
    if (!link || location.protocol === "file:") return;
    const answer = await fetch(link.href);
    if (!answer.ok) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("div.rest");
    link.parentElement.replaceWith(...found.childNodes);
  },
  true,
);
