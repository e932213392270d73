// The messages in flight as a table, with what can be done to each: what a click in the drawing
// does, for keyboards and screen readers.
import { h } from "../shared/dom";
import { isBehind, messageActions, type Action } from "./actions";
import type { Message } from "./module";

/** The most messages that are listed; more are only counted. */
const most = 100;

export class Flights {
  readonly element: HTMLElement;
  private readonly body = h("tbody", {});
  private readonly count = h("span", { class: "count" });
  private readonly nothing = h("p", { class: "quiet nothing-there" }, "Nothing is in flight.");
  private readonly table = h(
    "table",
    {},
    h(
      "thead",
      { class: "sr-only" },
      h("tr", {}, h("th", { scope: "col" }, "Message"), h("th", { scope: "col" }, "What to do")),
    ),
    this.body,
  );

  constructor(private readonly choose: (action: Action) => void) {
    this.element = h(
      "section",
      { class: "flights", "aria-label": "Messages in flight" },
      h("h2", {}, "In flight ", this.count),
      this.table,
      this.nothing,
    );
  }

  show(flight: Message[]): void {
    this.count.textContent = flight.length > 0 ? String(flight.length) : "";
    this.nothing.hidden = flight.length > 0;
    const focused = this.focusedPlace();
    const rows = flight.slice(0, most).map((message) => this.row(message, flight));
    if (flight.length > most)
      rows.push(
        h("tr", {}, h("td", { colspan: 2, class: "quiet" }, `and ${flight.length - most} more`)),
      );
    this.body.replaceChildren(...rows);
    if (focused) this.refocus(focused);
  }

  private row(message: Message, flight: Message[]): HTMLTableRowElement {
    const behind = isBehind(message, flight);
    const what = `${message.kind} from ${message.from} to ${message.to}`;
    const button = (action: Action) =>
      h(
        "button",
        {
          class: action.label === "Deliver" ? "deliver" : action.fault && "fault",
          "aria-label": `${action.label}: ${what}`,
          title: behind ? "One of the same kind goes before it" : action.lines[0],
          disabled: behind,
          onclick: () => this.choose(action),
        },
        action.label,
      );
    const rest = message.text.slice(message.kind.length);
    return h(
      "tr",
      { class: message.held || message.parted ? "stays" : undefined },
      h(
        "th",
        { scope: "row" },
        h("span", { class: "way" }, `${message.from} → ${message.to}`),
        " ",
        h("span", { class: "kind" }, message.kind),
        rest && h("span", { class: "quiet rest", title: message.text }, rest),
        (message.parted || message.held) &&
          h("span", { class: "why" }, message.parted ? "parted" : "held back"),
      ),
      h("td", {}, ...messageActions(message).map(button)),
    );
  }

  /** Where in the table the focus is: buttons are made anew with every step. */
  private focusedPlace(): [number, number] | null {
    const button = document.activeElement;
    const row = button?.closest("tr");
    if (!button || !row || !this.body.contains(row)) return null;
    return [
      row.sectionRowIndex,
      [...row.querySelectorAll("button")].indexOf(button as HTMLButtonElement),
    ];
  }

  private refocus([row, column]: [number, number]): void {
    const rows = this.body.rows;
    const buttons = rows[Math.min(row, rows.length - 1)]?.querySelectorAll("button") ?? [];
    (buttons[column] ?? buttons[0])?.focus();
  }
}
