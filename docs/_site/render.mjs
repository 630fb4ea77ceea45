// Formulas to MathML by KaTeX, and graphs to SVG by Graphviz: JSON on standard input, JSON on standard output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = { formulas: [], graphs: [] };
const katex = require("katex");
for (const [text, displayMode] of asked.formulas) {
  try {
    const options = { displayMode, output: "mathml", strict: "error", throwOnError: true, maxExpand: 1e6 };
    const html = katex.renderToString(text, options);
    const plain = html.replace(/<annotation[^]*?<\/annotation>|<\/?(?:semantics|span)[^>]*>| xmlns="[^"]*"/g, "");
    // Bars are not between two terms, as a browser takes them: no space is left beside them.
    answers.formulas.push({ html: plain.replace(/<mo ([^>]*)>(?=[∣∥]<)/g, '<mo $1 lspace="0" rspace="0">') });
  } catch (error) {
    answers.formulas.push({ error: error.message });
  }
}
if (asked.graphs.length) {
  const { instance } = require("@viz-js/viz");
  const viz = await instance();
  for (const text of asked.graphs) answers.graphs.push(viz.renderString(text, { format: "svg" }));
}
process.stdout.write(JSON.stringify(answers));
