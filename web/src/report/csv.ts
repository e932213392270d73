// Tables as CSV, to copy or to keep.
import { h } from "../shared/dom";

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function toCsv(rows: string[][]): string {
  return rows.map((row) => row.map(quoted).join(",") + "\n").join("");
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = h("a", { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

/** The button itself says the outcome for a moment, also to screen readers. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const said = h("span", { "aria-live": "polite" }, label);
  const button = h("button", { class: "small", type: "button" }, said);
  const say = (word: string) => {
    said.textContent = word;
    setTimeout(() => (said.textContent = label), 1500);
  };
  button.addEventListener("click", () => {
    const done = navigator.clipboard?.writeText(text());
    if (done) done.then(() => say("Copied"), () => say("Not allowed"));
    else say("Not allowed");
  });
  return button;
}

export function csvButtons(name: string, rows: () => string[][]): HTMLElement {
  const keep = h("button", { class: "small", type: "button" }, "Download CSV");
  keep.addEventListener("click", () => download(name, toCsv(rows())));
  return h("p", { class: "buttons" }, copyButton("Copy CSV", () => toCsv(rows())), keep);
}
