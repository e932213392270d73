// The script of the run: what was done and what followed, line by line. A click on a line goes back
// to it. At the end, the user can write a command.
import { h } from "../shared/dom";
import type { Step } from "./session";

/** How many lines of a long run are shown: the last ones. */
const most = 200;

export class Script {
  readonly element: HTMLElement;
  private readonly list = h("ol", { class: "script-lines" });
  private readonly said = h("p", { class: "sr-only", "aria-live": "polite" });
  private readonly error = h("p", { class: "command-error", role: "alert" });
  private readonly input = h("input", {
    type: "text",
    "aria-label": "A command",
    placeholder: "or write a command: tell 1 2",
    spellcheck: "false",
    autocomplete: "off",
  });

  constructor(
    private readonly back: (count: number) => void,
    run: (line: string) => boolean,
  ) {
    const form = h("form", {}, this.input, h("button", {}, "Execute"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const line = this.input.value.trim();
      if (line !== "" && run(line)) this.input.value = "";
    });
    this.element = h(
      "section",
      { class: "script", "aria-label": "Script" },
      h("h2", {}, "Script"),
      this.list,
      this.said,
      this.error,
      form,
    );
  }

  complain(what: string): void {
    this.error.textContent = what;
  }

  show(steps: Step[], ahead: string[]): void {
    const first = Math.max(0, steps.length - most);
    const rows = steps.slice(first).map((step, i) => this.row(step, first + i + 1, steps.length));
    rows.push(
      ...ahead
        .slice(0, 20)
        .map((line) => h("li", { class: "ahead" }, h("span", { class: "line" }, line))),
    );
    this.list.replaceChildren(...rows);
    const now = this.list.children[Math.min(steps.length, most) - 1];
    if (now)
      this.list.scrollTop =
        (now as HTMLElement).offsetTop + (now as HTMLElement).offsetHeight - this.list.clientHeight;
    const last = steps.at(-1);
    if (last) this.said.textContent = `${last.line}. ${last.printed}`;
  }

  private row(step: Step, count: number, now: number): HTMLLIElement {
    const printed = step.printed.trimEnd();
    return h(
      "li",
      { class: count === now ? "now" : undefined },
      h(
        "button",
        {
          class: "line",
          title: count === now ? undefined : "Go back to here",
          "aria-current": count === now ? "step" : undefined,
          onclick: () => count !== now && this.back(count),
        },
        step.line,
      ),
      printed &&
        h(
          "pre",
          {},
          ...printed
            .split("\n")
            .map((line) =>
              h("span", { class: line.startsWith("VIOLATION") ? "bad" : undefined }, `${line}\n`),
            ),
        ),
    );
  }
}
