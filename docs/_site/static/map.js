// Search, filters, zoom and panning for the maps of a page. Without this file they scroll.
"use strict";

{
  const maps = [...document.querySelectorAll(".graph.map")];
  const claims = maps.flatMap((map) => [...map.querySelectorAll("g.claim")]);
  const of = (node, kind) => [...node.classList].find((c) => c.startsWith(`${kind}-`)).slice(kind.length + 1);
  const words = (node) => `${node.querySelector("title").textContent} ${node.querySelector("a").getAttribute("xlink:title")}`;
  const center = (map, node) => {
    const [outer, inner] = [map.getBoundingClientRect(), node.getBoundingClientRect()];
    map.scrollBy(inner.x + inner.width / 2 - outer.x - outer.width / 2, inner.y + inner.height / 2 - outer.y - outer.height / 2);
  };

  function searched(show) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "search", placeholder: "id or title" });
    let at = 0;
    input.addEventListener("input", () => {
      at = 0;
      show();
    });
    input.addEventListener("keydown", (event) => {
      const found = claims.filter((node) => !node.classList.contains("dimmed"));
      if (event.key !== "Enter" || !found.length) return;
      const node = found[at++ % found.length];
      const map = node.closest(".map");
      map.scrollIntoView({ block: "center" });
      center(map, node);
      node.querySelector("a").focus({ preventScroll: true });
      input.focus({ preventScroll: true });
      for (const one of claims) one.classList.toggle("found", one === node);
    });
    label.append("find ", input);
    return [label, input];
  }

  function zoomed(map) {
    const svg = map.querySelector("svg");
    const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
    let scale = 1;
    const to = (wanted, x = map.clientWidth / 2, y = map.clientHeight / 2) => {
      const next = Math.min(Math.max(wanted, 0.1), 4);
      const [left, top] = [map.scrollLeft + x, map.scrollTop + y];
      svg.setAttribute("width", width * next);
      svg.setAttribute("height", height * next);
      map.scrollTo((left * next) / scale - x, (top * next) / scale - y);
      scale = next;
    };
    const button = (text, name, clicked) => {
      const one = Object.assign(document.createElement("button"), { type: "button", textContent: text, ariaLabel: name });
      one.addEventListener("click", clicked);
      return one;
    };
    map.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const box = map.getBoundingClientRect();
        to(scale * Math.exp(-event.deltaY / 400), event.clientX - box.x, event.clientY - box.y);
      },
      { passive: false },
    );
    const buttons = document.createElement("div");
    buttons.className = "zoom";
    buttons.append(
      button("−", "smaller", () => to(scale / 1.25)),
      button("100 %", "actual size", () => to(1)),
      button("+", "larger", () => to(scale * 1.25)),
      button("whole", "the whole map", () => to(Math.min(map.clientWidth / width, map.clientHeight / height))),
    );
    map.before(buttons);
  }

  function dragged(map) {
    let from, moved;
    map.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button) return;
      from = [event.clientX + map.scrollLeft, event.clientY + map.scrollTop];
      moved = false;
    });
    map.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const [x, y] = [from[0] - event.clientX, from[1] - event.clientY];
      moved ||= Math.hypot(x - map.scrollLeft, y - map.scrollTop) > 4;
      if (moved) map.scrollTo(x, y);
    });
    map.addEventListener("dragstart", (event) => event.preventDefault());
    map.addEventListener("click", (event) => moved && event.preventDefault(), true);
    window.addEventListener("pointerup", () => (from = undefined));
  }

  if (claims.length) {
    const kinds = ["verdict", "scope"].filter((kind) => unique(claims.map((node) => of(node, kind))).length > 1);
    const show = () => {
      const text = input.value.trim().toLowerCase();
      for (const node of claims) {
        const other = kinds.some((kind, k) => !["all", of(node, kind)].includes(choices[k][1].value));
        node.classList.toggle("dimmed", other || !words(node).toLowerCase().includes(text));
      }
      for (const item of document.querySelectorAll(".map-list li"))
        item.hidden = !item.textContent.toLowerCase().includes(text);
    };
    const [label, input] = searched(show);
    const choices = kinds.map((kind) => choice(kind, unique(claims.map((node) => of(node, kind))), show));
    bar(maps.length > 1 ? maps[0].closest("section") : maps[0], [[label, input], ...choices]);
    for (const map of maps) {
      zoomed(map);
      dragged(map);
    }
  }
}
