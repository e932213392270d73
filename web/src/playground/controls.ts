// The controls of the run: one step, many steps, undo, redo.
import { h } from "../shared/dom";
import type { Session } from "./session";

const rates: [string, number][] = [
  ["slow", 1400],
  ["medium", 600],
  ["fast", 120],
];
/** The most steps that "To the end" takes: some algorithms never rest. */
const most = 300;

export class Controls {
  readonly element: HTMLElement;
  private readonly undo = h(
    "button",
    { title: "Undo (u)", onclick: () => this.go(() => this.session.undo()) },
    "Undo",
  );
  private readonly redo = h(
    "button",
    { title: "Redo (U)", onclick: () => this.go(() => this.session.redo()) },
    "Redo",
  );
  private readonly one = h(
    "button",
    { class: "primary", title: "Whatever comes next by itself (s)", onclick: () => this.step() },
    "Step",
  );
  private readonly many = h(
    "button",
    { title: "Step after step (r)", onclick: () => this.toggle() },
    "Run",
  );
  private readonly end = h(
    "button",
    { title: "Until nothing is in flight (e)", onclick: () => this.settle() },
    "To the end",
  );
  private readonly rate = h(
    "select",
    { "aria-label": "Speed of the run" },
    ...rates.map(([name, ms]) => h("option", { value: ms, selected: name === "medium" }, name)),
  );
  private readonly lively = h("input", { type: "checkbox" });
  private readonly next = h("p", { class: "next quiet" });
  private timer = 0;

  /** Calls `enlivened` when "nodes ask, too" has changed. */
  constructor(
    private readonly session: Session,
    enlivened: () => void,
  ) {
    this.lively.addEventListener("change", () => {
      session.lively = this.lively.checked;
      this.show();
      enlivened();
    });
    this.element = h(
      "section",
      { class: "run-controls", "aria-label": "Run" },
      h("div", { class: "row" }, this.one, this.many, this.rate, this.end),
      h(
        "div",
        { class: "row" },
        this.undo,
        this.redo,
        h(
          "label",
          {
            class: "check",
            title: "Nodes ask and leave at random, too, when the run goes by itself",
          },
          this.lively,
          "nodes ask, too",
        ),
      ),
      this.next,
    );
  }

  get running(): boolean {
    return this.timer !== 0;
  }

  show(): void {
    const { session } = this;
    this.undo.disabled = !session.canUndo;
    this.redo.disabled = !session.canRedo;
    this.lively.checked = session.lively;
    const next = session.sight ? session.next() : "";
    this.one.disabled = this.many.disabled = this.end.disabled = next === "";
    this.next.textContent =
      next === "" ? "Nothing to run: no message is in flight." : `Next: ${next}`;
    this.many.textContent = this.running ? "Pause" : "Run";
    if (this.running) this.many.disabled = false;
  }

  step(): void {
    this.stop();
    this.session.advance();
  }

  settle(): void {
    this.stop();
    this.session.advance(most);
  }

  toggle(): void {
    if (this.running) this.stop();
    else this.tick();
    this.show();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  private go(what: () => void): void {
    this.stop();
    what();
  }

  private tick(): void {
    this.timer = window.setTimeout(() => this.tick(), Number(this.rate.value));
    if (this.session.advance()) return;
    this.stop();
    this.show();
  }
}
