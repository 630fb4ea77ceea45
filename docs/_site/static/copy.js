// A button on each block of code that copies it. Where a browser gives no clipboard there is none.
"use strict";

for (const block of navigator.clipboard ? document.querySelectorAll("article .highlight") : []) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent.trimEnd() + "\n");
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 2000);
  });
  block.append(button);
}
