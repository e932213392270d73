// The keys, in a popover.
import { h } from "../shared/dom";

export const keys: [string, string][] = [
  ["Space", "play, pause"],
  ["← →", "step by one event; with Shift by ten"],
  ["Home End", "the beginning, the end"],
  ["n p", "next, previous entry"],
  ["v V", "next, previous violation"],
  [". ,", "next, previous caption"],
  ["+ − 0", "zoom in, zoom out, show everything"],
  ["] [", "taller rows, lower rows"],
  ["o", "time, or one event after the other"],
  ["/", "find in the events"],
  ["f", "filter"],
  ["?", "this help"],
];

export class Help {
  readonly button: HTMLButtonElement;
  readonly dialog: HTMLDialogElement;

  constructor() {
    this.dialog = h(
      "dialog",
      { class: "help", "aria-label": "Keys" },
      h("h2", {}, "Keys"),
      h(
        "dl",
        {},
        ...keys.flatMap(([key, what]) => [
          h("dt", {}, ...key.split(" ").map((one) => h("kbd", {}, one))),
          h("dd", {}, what),
        ]),
      ),
      h(
        "p",
        { class: "quiet" },
        "Drag the diagram to move it, turn the wheel or pinch to zoom, drag the ruler to scrub. " +
          "The wheel with Shift makes rows taller, with Alt it scrolls them.",
      ),
      h("form", { method: "dialog" }, h("button", {}, "Close")),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.button = h(
      "button",
      { "aria-label": "Keys", title: "Keys (?)", onclick: () => this.open() },
      "?",
    );
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}
