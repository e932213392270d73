// What the keys do.
import { h } from "../shared/dom";

const keys: [string[], string][] = [
  [["Tab"], "to the next figure, button or link"],
  [["←", "→"], "in a figure: along a series"],
  [["↑", "↓"], "in a figure: to another series"],
  [["Esc"], "forget the point"],
  [["n", "p"], "to the next or previous experiment"],
  [["o"], "to the overview"],
  [["?"], "this"],
];

/** Adds the dialog, and a button and a key that open it. */
export function addHelp(place: HTMLElement, sections: HTMLElement[]): void {
  const rows = keys.map(([names, what]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...names.map((name) => h("kbd", {}, name))),
      h("td", {}, what),
    ));
  const close = h("button", { type: "button" }, "Close");
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("table", {}, h("tbody", {}, ...rows)),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const open = h(
    "button",
    { type: "button", class: "small help-button", "aria-label": "Keys", title: "Keys (?)" },
    "?",
  );
  open.addEventListener("click", () => dialog.showModal());
  place.append(open, dialog);

  const go = (step: number) => {
    const reached = sections.filter((each) => each.getBoundingClientRect().top < 60).length - 1;
    const next = sections[Math.min(sections.length - 1, Math.max(0, reached + step))];
    next?.scrollIntoView();
  };
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || dialog.open) return;
    if (event.key === "?") dialog.showModal();
    else if (event.key === "n") go(1);
    else if (event.key === "p") go(-1);
    else if (event.key === "o") sections[0].scrollIntoView();
  });
}
