// Filters above tables of claims, which map.js has as well. Without this file everything is shown.
"use strict";

function choice(name, values, changed) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  label.append(`${name} `, select);
  for (const value of ["all", ...values]) select.add(new Option(value.replace("None", "no proof")));
  [...select.options].forEach((option, k) => (option.value = ["all", ...values][k]));
  select.addEventListener("change", changed);
  return [label, select];
}

function bar(before, choices) {
  const filters = document.createElement("div");
  filters.className = "filters";
  filters.append(...choices.map(([label]) => label));
  before.before(filters);
}

const unique = (values) => [...new Set(values)].sort();

for (const table of document.querySelectorAll("table")) {
  const rows = [...table.tBodies[0].rows].filter((row) => row.querySelector(".verdict"));
  if (rows.length < 8) continue;
  const verdict = (row) => row.querySelector(".verdict").textContent;
  const source = (row) => row.querySelector("code").textContent.replace(/\.(?!jax\.).*/, "");
  const show = () => {
    for (const row of rows)
      row.hidden = ![[verdicts, verdict], [sources, source]].every(([[, select], of]) => ["all", of(row)].includes(select.value));
  };
  const verdicts = choice("verdict", unique(rows.map(verdict)), show);
  const sources = choice("source", unique(rows.map(source)), show);
  bar(table.closest(".table-wrapper") ?? table, [verdicts, sources]);
}
