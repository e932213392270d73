// The top of a viewer: what is shown, what its author says of this moment, and what is broken.
import type { Film } from "../film/film";
import type { Violation } from "../film/header";
import { h } from "../shared/dom";
import { Help } from "./help";
import { icon } from "./icons";
import type { Viewer } from "./view";

export class Head {
  readonly element: HTMLElement;
  /** What stands above the diagram and changes with the moment. */
  readonly story: HTMLElement;
  readonly help = new Help();
  private readonly title = h("h1", {});
  private readonly algorithm = h("span", { class: "chip" });
  private readonly command = h("code", { class: "command" });
  private readonly caption = h("p", { class: "caption", "aria-live": "polite" });
  private readonly broken = h("div", { class: "violations", role: "alert" });
  private readonly axis: HTMLSelectElement;
  private film!: Film;

  constructor(
    private readonly viewer: Viewer,
    titled: boolean,
  ) {
    const tool = (label: string, content: Node | string, click: () => void) =>
      h("button", { "aria-label": label, title: label, onclick: click }, content);
    this.axis = h(
      "select",
      { "aria-label": "From left to right" },
      h("option", { value: "time" }, "To scale"),
      h("option", { value: "order" }, "In order"),
    );
    this.axis.addEventListener("change", () => viewer.toggleAxis());
    this.story = h("div", { class: "story" }, this.caption, this.broken);
    this.element = h(
      "header",
      { class: "viewer-head" },
      titled && h("div", { class: "titles" }, this.title, this.algorithm, this.command),
      h(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "View" },
        this.axis,
        h(
          "div",
          { class: "group" },
          tool("Zoom out (-)", icon("minus"), () => viewer.diagram.zoom(1.6)),
          tool("Show the whole run (0)", icon("fit"), () => viewer.diagram.fit()),
          tool("Zoom in (+)", icon("plus"), () => viewer.diagram.zoom(1 / 1.6)),
        ),
        this.help.button,
      ),
      this.help.dialog,
    );
  }

  show(film: Film): void {
    this.film = film;
    const { title, algorithm, command } = film.header;
    this.title.textContent = title || algorithm || "A run";
    this.algorithm.textContent = algorithm;
    this.algorithm.hidden = algorithm === "" || algorithm === title;
    this.command.textContent = command;
    this.command.title = command;
    this.command.hidden = command === "";
    this.axis.hidden = film.header.unit === "step";
    this.story.hidden = film.header.captions.length === 0 && film.header.violations.length === 0;
  }

  choose(event: number, broken: Violation[]): void {
    const captions = this.film.header.captions;
    let text = "";
    for (const caption of captions) if (caption.event <= Math.max(0, event)) text = caption.text;
    this.caption.hidden = captions.length === 0;
    if (this.caption.textContent !== text) this.caption.textContent = text;
    const lines = broken.slice(0, 3).map((violation) => `${violation.property}\n${violation.what}`);
    if (this.broken.dataset.lines !== lines.join("\n")) {
      this.broken.dataset.lines = lines.join("\n");
      this.broken.replaceChildren(
        ...broken
          .slice(0, 3)
          .map((violation) => h("p", {}, h("strong", {}, violation.property), " ", violation.what)),
      );
    }
    this.axis.value = this.viewer.axisMode;
  }
}
