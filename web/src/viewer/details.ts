// What is known of one event: the message, its two ends, and the state of the node before and
// after.
import { none, type Film } from "../film/film";
import { compare } from "../film/state";
import { sentence, verbOf, when } from "../film/words";
import { h } from "../shared/dom";

export class Details {
  readonly element = h("section", { class: "details", "aria-label": "Event" });

  constructor(private readonly onEvent: (event: number) => void) {}

  show(film: Film, event: number): void {
    if (film.count === 0 || event < 0) {
      this.element.replaceChildren(h("p", { class: "quiet" }, "Nothing has happened yet."));
      return;
    }
    const violations = film.header.violations.filter((violation) => violation.event === event);
    this.element.replaceChildren(
      h("h3", {}, sentence(film, event).slice(0, 400)),
      ...violations.map((violation) =>
        h("p", { class: "broken" }, h("strong", {}, violation.property), ` ${violation.what}`),
      ),
      this.facts(film, event),
      this.states(film, event),
    );
  }

  private facts(film: Film, event: number): HTMLElement {
    const list = h("dl", { class: "facts" });
    const fact = (name: string, value: string | Node | null) => {
      if (value) list.append(h("dt", {}, name), h("dd", {}, value));
    };
    const mate = film.mate[event];
    fact("event", `${(event + 1).toLocaleString("en")} of ${film.count.toLocaleString("en")}`);
    fact("time", when(film, event));
    fact("lock", film.lockOf(event));
    if (mate !== none && mate < film.count)
      fact(
        mate > event ? "then" : "before",
        h(
          "button",
          { class: "link", onclick: () => this.onEvent(mate) },
          this.mateWords(film, event, mate),
        ),
      );
    return list;
  }

  private mateWords(film: Film, event: number, mate: number): string {
    const apart = Math.abs(film.at[mate] - film.at[event]);
    const distance = film.header.unit === "step" ? "" : `, ${when(film, mate)}`;
    return `${film.name(film.node[mate])} ${verbOf(film, mate)}${apart > 0 ? distance : ""}`;
  }

  private states(film: Film, event: number): HTMLElement {
    const node = film.node[event];
    const after = node < film.nodes ? film.stateAt(node, event) : null;
    if (after === null)
      return h(
        "p",
        { class: "quiet" },
        film.hasStates ? "" : "The states of the nodes are not known.",
      );
    const changes = compare(film.stateBefore(node, event), after);
    const rows = changes.map((change) =>
      h(
        "tr",
        { class: change.changed ? "changed" : "" },
        h("th", { scope: "row" }, change.name),
        h("td", {}, change.before ?? ""),
        h("td", {}, change.changed ? h("mark", {}, change.after ?? "") : (change.after ?? "")),
      ),
    );
    const body = h(
      "tbody",
      {},
      ...[...rows].sort(
        (a, b) => Number(b.className === "changed") - Number(a.className === "changed"),
      ),
    );
    return h(
      "div",
      { class: "state" },
      h(
        "table",
        {},
        h("caption", {}, `State of ${film.name(node)}`),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "field"),
            h("th", { scope: "col" }, "before"),
            h("th", { scope: "col" }, "after"),
          ),
        ),
        body,
      ),
    );
  }
}
