// The controls of a filter: nodes, types of messages with how many there are, locks.
import type { Film } from "../film/film";
import type { Run } from "../film/run";
import { h } from "../shared/dom";
import { everything, isEverything, type Filter } from "./filter";

export class Filters {
  readonly element = h("section", { class: "filters", "aria-label": "Filter" });
  private readonly nodes = h("input", {
    type: "search",
    list: "node-names",
    placeholder: "a name, 3-7 or 1, 4, 9",
    id: "filter-nodes",
  });
  filter: Filter = everything();

  constructor(private readonly changed: () => void) {
    this.nodes.addEventListener("input", () =>
      this.set({ ...this.filter, nodes: this.nodes.value }),
    );
  }

  /** Sets the filter before anything is shown. */
  start(filter: Filter): void {
    this.filter = filter;
    this.nodes.value = filter.nodes;
  }

  focus(): void {
    this.nodes.focus();
  }

  reset(): void {
    this.nodes.value = "";
    this.set(everything());
    for (const box of this.element.querySelectorAll<HTMLInputElement>("input[type=checkbox]"))
      box.checked = true;
    const lock = this.element.querySelector("select");
    if (lock) lock.value = "";
  }

  show(film: Film, run: Run): void {
    const kinds = [...film.header.kinds.keys()].sort(
      (a, b) => run.kindCounts[b] - run.kindCounts[a],
    );
    const names = film.header.nodes.slice(0, 500).map((node) => h("option", { value: node.name }));
    this.element.replaceChildren(
      h(
        "div",
        { class: "field" },
        h("label", { for: "filter-nodes" }, "Nodes"),
        this.nodes,
        h("datalist", { id: "node-names" }, ...names),
      ),
      (film.header.locks.length > 1 && this.locks(film)) || "",
      kinds.length > 0
        ? h(
            "fieldset",
            { class: "kinds" },
            h("legend", {}, "Messages"),
            ...kinds.map((kind) =>
              this.kindBox(kind, film.header.kinds[kind], run.kindCounts[kind]),
            ),
          )
        : "",
      h(
        "button",
        { class: "reset", disabled: isEverything(this.filter), onclick: () => this.reset() },
        "Show everything",
      ),
    );
  }

  private locks(film: Film): HTMLElement {
    const choice = h(
      "select",
      { id: "filter-lock" },
      h("option", { value: "" }, "all"),
      ...film.header.locks.slice(0, 5000).map((name, lock) => h("option", { value: lock }, name)),
    );
    choice.addEventListener("change", () =>
      this.set({ ...this.filter, lock: choice.value === "" ? null : Number(choice.value) }),
    );
    return h("div", { class: "field" }, h("label", { for: "filter-lock" }, "Lock"), choice);
  }

  private kindBox(kind: number, name: string, count: number): HTMLElement {
    const box = h("input", { type: "checkbox", checked: !this.filter.hidden.has(kind) });
    box.addEventListener("change", () => {
      const hidden = new Set(this.filter.hidden);
      if (box.checked) hidden.delete(kind);
      else hidden.add(kind);
      this.set({ ...this.filter, hidden });
    });
    return h(
      "label",
      { class: "kind" },
      box,
      h("span", {}, name),
      h("span", { class: "quiet" }, count.toLocaleString("en")),
    );
  }

  private set(filter: Filter): void {
    this.filter = filter;
    const reset = this.element.querySelector<HTMLButtonElement>(".reset");
    if (reset) reset.disabled = isEverything(filter);
    this.changed();
  }
}
