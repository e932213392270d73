// A figure of the page: its legend, its drawing, a text about the selected point, and its numbers.
import { h } from "../shared/dom";
import { drawLines, drawRows, type Drawing, type Spot } from "./chart";
import { figureId, type Experiment, type Figure } from "./data";
import { marksOf, type Mark } from "./marks";
import { placeOf, titleOf, valueOf } from "./numbers";
import { figureTable } from "./tables";

const svgNamespace = "http://www.w3.org/2000/svg";

function describe(figure: Figure): string {
  const names = figure.series.map((each) =>
    each.whose === "ours" ? each.name : `${each.name} (${each.whose})`);
  return `${titleOf(figure.y)} by ${titleOf(figure.x)}, of ${names.join("; ")}. ` +
    "The numbers are in the table below; arrow keys go from point to point.";
}

function swatch(mark: Mark): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, "svg");
  const add = (name: string, attributes: Record<string, string>) => {
    const element = document.createElementNS(svgNamespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    svg.append(element);
  };
  svg.setAttribute("class", "series swatch");
  svg.setAttribute("viewBox", "0 0 30 18");
  svg.setAttribute("aria-hidden", "true");
  svg.style.setProperty("--series", mark.colour);
  add("path", { class: "line", d: "M1,9H29", "stroke-dasharray": mark.dash });
  if (mark.path) {
    const kind = mark.hollow ? "mark hollow" : "mark";
    add("path", { class: kind, d: mark.path, transform: "translate(15,9)" });
  }
  return svg;
}

/** One series stands out while it is pointed at; a press keeps it so. */
class Legend {
  readonly element: HTMLElement;
  private pinned: number | null = null;

  constructor(figure: Figure, private readonly emphasize: (series: number | null) => void) {
    const marks = marksOf(figure.series);
    const items = figure.series.map((each, series) => {
      const paper = each.whose === "paper" && !/paper/.test(each.name);
      const button = h(
        "button",
        { type: "button", "aria-pressed": "false", title: "Bring this series to the front" },
        each.name,
        paper && h("span", { class: "quiet" }, " paper"),
      );
      button.prepend(swatch(marks[series]));
      button.addEventListener("click", () => this.pin(this.pinned === series ? null : series));
      button.addEventListener("pointerenter", () => emphasize(series));
      button.addEventListener("pointerleave", () => emphasize(this.pinned));
      return h("li", {}, button);
    });
    this.element = h("ul", { class: "legend", "aria-label": "Series" }, ...items);
  }

  private pin(series: number | null): void {
    this.pinned = series;
    this.element.querySelectorAll("button").forEach((button, index) =>
      button.setAttribute("aria-pressed", String(index === series)));
    this.emphasize(series);
  }
}

export class FigureView {
  readonly element: HTMLElement;
  private readonly plot = h("div", { class: "plot" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly said = h("p", { class: "sr-only", "aria-live": "polite" });
  private drawing: Drawing | null = null;
  private spot: Spot | null = null;
  private emphasized: number | null = null;

  constructor(
    private readonly experiment: Experiment,
    private readonly figure: Figure,
    index: number,
  ) {
    const legend = new Legend(figure, (series) => this.emphasize(series));
    const id = figureId(experiment, index);
    this.element = h(
      "figure",
      { id, "aria-labelledby": `${id}-title` },
      h(
        "header",
        {},
        h("p", { class: "of" }, figure.of),
        h("h3", { id: `${id}-title` }, figure.title),
      ),
      legend.element,
      this.plot,
      this.said,
      h("figcaption", { class: "quiet" }, this.caption()),
      figureTable(experiment, figure, index),
    );
    new ResizeObserver(() => this.draw()).observe(this.plot);
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  /** In a grid with rows of one pixel, the figures of a column follow one another without a gap. */
  private fit(): void {
    const margin = 20;
    this.element.style.gridRowEnd = `span ${Math.ceil(this.element.offsetHeight) + margin}`;
  }

  private caption(): string {
    const [first, last] = this.experiment.seeds;
    const varies = this.figure.series.some((each) => each.points.some(([, , error]) => error > 0));
    if (varies) return `Error bars: one standard deviation over seeds ${first} to ${last}.`;
    return first === last ? `Seed ${first}.` : `Seeds ${first} to ${last}.`;
  }

  private draw(): void {
    const width = Math.floor(this.plot.clientWidth);
    if (width === 0 || this.drawing?.width === width) return;
    const draw = this.figure.shape === "bars" ? drawRows : drawLines;
    this.drawing = draw(this.figure, width, describe(this.figure));
    const { svg } = this.drawing;
    svg.addEventListener("pointermove", (event) => this.point(event));
    svg.addEventListener("pointerleave", () => this.show(null));
    svg.addEventListener("blur", () => this.show(null));
    svg.addEventListener("keydown", (event) => this.step(event));
    this.plot.replaceChildren(svg, this.tip);
    this.show(null);
    this.emphasize(this.emphasized);
  }

  private emphasize(series: number | null): void {
    this.emphasized = series;
    this.drawing?.svg.querySelectorAll<SVGGElement>("[data-series]").forEach((group) => {
      group.classList.toggle("faded", series !== null && group.dataset.series !== String(series));
    });
  }

  private point(event: PointerEvent): void {
    const { spots, svg } = this.drawing!;
    const box = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let nearest: Spot | null = null;
    let least = 40;
    for (const spot of spots) {
      const behind = this.figure.series[spot.series].whose === "ours" ? 0 : 1;
      const distance = Math.hypot(spot.x - x, spot.y - y) + behind;
      if (distance < least) [nearest, least] = [spot, distance];
    }
    this.show(nearest);
  }

  /** Arrow keys go left and right along a series, up and down to another. */
  private step(event: KeyboardEvent): void {
    const { spots } = this.drawing!;
    const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
    const along = event.key === "ArrowRight" || event.key === "ArrowLeft";
    if (event.key === "Escape") return this.show(null);
    if (!event.key.startsWith("Arrow") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (this.spot === null) return this.show(spots[0] ?? null, true);
    const { series, index } = this.spot;
    const rank = (spot: Spot) => spot.series * 1e6 + spot.index;
    const others = along
      ? spots.filter((spot) => spot.series === series)
      : spots.filter((spot) => spot.series !== series && [index, 0].includes(spot.index));
    const here = series * 1e6 + index;
    const ahead = others.filter((spot) => (forward ? rank(spot) > here : rank(spot) < here));
    if (ahead.length === 0) return;
    ahead.sort((a, b) => (forward ? rank(a) - rank(b) : rank(b) - rank(a)));
    this.show(ahead[0], true);
  }

  private show(spot: Spot | null, aloud = false): void {
    this.spot = spot;
    this.tip.hidden = spot === null;
    this.drawing?.svg.querySelector(".here")?.remove();
    if (spot === null || this.drawing === null) return;
    const { x: axis, y: measured, series } = this.figure;
    const datum = series[spot.series].points[spot.index];
    const [place, value] = [placeOf(axis, datum[0]), valueOf(measured, datum)];
    this.tip.replaceChildren(
      h("strong", {}, series[spot.series].name),
      h("span", {}, `${axis.label}: ${place}`),
      h("span", {}, `${measured.label}: ${value}`),
    );
    if (aloud) this.said.textContent = `${series[spot.series].name}: ${place}, ${value}`;
    const circle = document.createElementNS(svgNamespace, "circle");
    circle.setAttribute("class", "here");
    circle.setAttribute("r", "8");
    circle.setAttribute("cx", String(spot.x));
    circle.setAttribute("cy", String(spot.y));
    this.drawing.svg.append(circle);
    this.place(spot);
  }

  /** Puts the tip beside the point, where there is room. */
  private place(spot: Spot): void {
    const { width } = this.drawing!;
    const room = this.tip.offsetWidth;
    const right = spot.x + 14 + room <= width;
    this.tip.style.left = `${Math.max(0, right ? spot.x + 14 : spot.x - 14 - room)}px`;
    this.tip.style.top = `${Math.max(0, spot.y - this.tip.offsetHeight / 2)}px`;
  }
}
