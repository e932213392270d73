// Whether the properties hold, and what was broken, so that nobody overlooks it.
import { h } from "../shared/dom";
import type { Sight } from "./module";
import type { Step } from "./session";

const meanings: Record<string, string> = {
  ME1: "at most one process is inside",
  ME2: "whoever asks enters",
  ME3: "in the order of asking",
  E1: "who is elected is the right one",
  E2: "everybody elects somebody",
};

export class Status {
  readonly element: HTMLElement;
  private readonly verdicts = h("ul", { class: "verdicts", "aria-label": "Properties" });
  private readonly broken = h("div", { class: "broken", role: "alert" });
  private shown = "";

  constructor() {
    this.element = h(
      "section",
      { class: "status", "aria-label": "Properties" },
      this.verdicts,
      this.broken,
    );
  }

  show(sight: Sight, steps: Step[]): void {
    this.verdicts.replaceChildren(
      ...sight.verdicts.map(({ property, text, broken }) =>
        h(
          "li",
          {
            class: broken ? "is-broken" : text === "held" ? "is-held" : "is-open",
            title: [property in meanings && meanings[property], text].filter(Boolean).join(": "),
          },
          property,
          h("span", { class: "verdict" }, text),
        ),
      ),
    );
    const lines = violations(steps);
    if (sight.deadlock) lines.push(`ME2: ${sight.deadlock}`);
    const text = lines.slice(-2).join("\n");
    if (text === this.shown) return;
    this.shown = text;
    this.broken.replaceChildren(
      ...lines.slice(-2).map((line) => {
        const colon = line.indexOf(": ");
        return h(
          "p",
          {},
          h("strong", {}, `${line.slice(0, colon)} is violated`),
          line.slice(colon + 2),
        );
      }),
    );
  }
}

/** What the oracles found, in order, each once. */
function violations(steps: Step[]): string[] {
  const found = steps.flatMap((step) => step.printed.match(/^VIOLATION .*$/gm) ?? []);
  return [...new Set(found.map((line) => line.slice("VIOLATION ".length)))].filter(
    (line) => !line.startsWith("ME2: deadlock"),
  );
}
