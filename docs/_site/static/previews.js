// A card with a linked claim's title, verdict and statement, where its link is pointed at or has the keyboard's focus.
// What it says lies in claims.js, which is loaded with the first card; links without it have their titles.
"use strict";

{
  const LINKS = "a.claim, g.claim a";
  const card = document.createElement("div");
  card.id = "preview";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  let link, later;

  const url = (a) => new URL(a.getAttribute("href") ?? a.getAttribute("xlink:href"), location.href);
  const loaded = () =>
    (loaded.promise ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("_static/claims.js", new URL(document.documentElement.dataset.content_root, location.href));
      script.onload = script.onerror = () => resolve(window.claims ?? {});
      document.head.append(script);
    }));

  function hide() {
    clearTimeout(later);
    link?.removeAttribute("aria-describedby");
    link = undefined;
    card.hidden = true;
  }

  async function show(wanted) {
    hide();
    link = wanted;
    const { pathname, hash } = url(wanted);
    const said = (await loaded())[pathname.split("/").pop() + hash];
    if (!said || link !== wanted) return;
    const [title, badge, statement] = said;
    card.innerHTML = `<b></b> ${badge}<p></p>`;
    card.querySelector("b").textContent = title;
    card.querySelector("p").textContent = statement;
    wanted.removeAttribute("title");
    wanted.setAttribute("aria-describedby", card.id);
    card.hidden = false;
    place();
  }

  function place() {
    const [at, box] = [link.getBoundingClientRect(), card.getBoundingClientRect()];
    const below = at.bottom + box.height + 8 < innerHeight;
    card.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.width - 8))}px`;
    const top = below ? at.bottom + 4 : at.top - box.height - 4;
    card.style.top = `${Math.max(8, Math.min(top, innerHeight - box.height - 8))}px`;
  }

  const soon = (wanted) => {
    clearTimeout(later);
    later = setTimeout(() => (wanted ? show(wanted) : hide()), 200);
  };
  document.body.append(card);
  document.addEventListener("mouseover", ({ target }) => {
    const wanted = target.closest(LINKS);
    if (card.contains(target) || (wanted && wanted === link)) clearTimeout(later);
    else if (wanted || link) soon(wanted);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(LINKS) && target.matches(":focus-visible")) show(target);
    else if (!card.contains(target)) hide();
  });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("scroll", () => card.hidden || place(), true);
}
