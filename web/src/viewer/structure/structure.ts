// The panel beside the diagram: the structure that the algorithm keeps, at the chosen moment, as a
// drawing and as text.
import { select, type Selection } from "d3";
import "d3-transition";
import { none, type Film } from "../../film/film";
import { isWeighty, type Flight } from "../../film/run";
import { h } from "../../shared/dom";
import { along, curve } from "./curves";
import { sceneOf } from "./families";
import { labelPlaces } from "./labels";
import { legendOf } from "./legend";
import {
  cast,
  most,
  type Moment,
  type Place,
  type Scene,
  type SceneLink,
  type SceneNode,
  type Size,
} from "./scene";
import { described } from "./words";

export interface StructureHooks {
  /** A node was clicked, or Enter pressed on it. */
  onNode?: (node: number, event: Event) => void;
  /** A message in flight was clicked, or Enter pressed on it. */
  onFlight?: (flight: Flight, event: Event) => void;
}

/** What the drawing points out. */
export interface Emphasis {
  /** The nodes that break a property. */
  guilty: number[];
}

type Group = Selection<SVGGElement, unknown, null, undefined>;

/** How far a link bends to its side, in shares of its length. */
const bends = { solid: 0, dashed: 0.2, vote: 0.1, edge: 0, faint: 0 };
let made = 0;

export class Structure {
  readonly element: HTMLElement;
  private readonly svg: Selection<SVGSVGElement, unknown, null, undefined>;
  private readonly layers: Record<"boxes" | "links" | "flights" | "nodes", Group>;
  private readonly stage: HTMLElement;
  private readonly note = h("p", { class: "structure-note quiet" });
  private readonly legend = h("div", { class: "legend" });
  private readonly list = h("ul", { class: "structure-list" });
  private readonly asText: HTMLDetailsElement;
  private readonly marker = `arrow-${++made}`;
  private readonly watcher: ResizeObserver;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");
  private size: Size = { width: 0, height: 0 };
  private last: { moment: Moment; emphasis: Emphasis } | null = null;

  constructor(private readonly hooks: StructureHooks) {
    this.stage = h("div", { class: "structure-stage" });
    this.asText = h("details", { class: "structure-text" }, h("summary", {}, "As text"), this.list);
    this.asText.addEventListener("toggle", () => this.redraw());
    this.element = h("section", { class: "structure", "aria-label": "Structure" }, this.stage);
    this.element.append(this.note, this.legend, this.asText);
    this.svg = select(this.stage)
      .append("svg")
      .attr("role", "group")
      .attr("aria-label", "The nodes and their links");
    this.arrows();
    const layer = (name: string): Group => this.svg.append("g").attr("class", name);
    this.layers = {
      boxes: layer("boxes"),
      links: layer("links"),
      nodes: layer("nodes"),
      flights: layer("flights"),
    };
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.stage);
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  /** `instant`: without a transition. */
  draw(moment: Moment, emphasis: Emphasis, instant = false): void {
    this.last = { moment, emphasis };
    if (this.size.width < 10 || this.size.height < 10) return;
    const ids = cast(moment);
    const scene = sceneOf(moment, ids, this.size);
    const slow = instant || this.calm.matches ? 0 : 280;
    const radius = radiusFor(scene.nodes);
    this.drawBoxes(scene);
    this.drawLinks(scene, radius, slow);
    this.drawFlights(scene, moment, radius, slow);
    this.drawNodes(scene, moment, emphasis, radius, slow);
    const { nodes } = moment.film;
    this.note.textContent =
      nodes > most ? `${ids.length} of ${nodes} nodes: those involved in the current event` : "";
    this.note.hidden = nodes <= most;
    this.legend.replaceChildren(...legendOf(scene));
    if (this.asText.open)
      this.list.replaceChildren(...described(scene, moment).map((line) => h("li", {}, line)));
  }

  private redraw(): void {
    if (this.last) this.draw(this.last.moment, this.last.emphasis, true);
  }

  private resized(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width === this.size.width && height === this.size.height) return;
    this.size = { width, height };
    this.svg.attr("width", width).attr("height", height).attr("viewBox", `0 0 ${width} ${height}`);
    this.redraw();
  }

  private arrows(): void {
    const defs = this.svg.append("defs");
    for (const style of ["solid", "dashed", "vote", "edge", "message", "weighty"])
      defs
        .append("marker")
        .attr("id", `${this.marker}-${style}`)
        .attr("class", `head ${style}`)
        .attr("viewBox", "0 0 8 8")
        .attr("refX", 7)
        .attr("refY", 4)
        .attr("markerWidth", 7)
        .attr("markerHeight", 7)
        .attr("markerUnits", "userSpaceOnUse")
        .attr("orient", "auto")
        .append("path")
        .attr("d", "M0,0.6 L8,4 L0,7.4 Z");
  }

  private drawBoxes(scene: Scene): void {
    const { boxes } = this.layers;
    boxes
      .selectAll<SVGCircleElement, unknown>("circle")
      .data(scene.ring ? [scene.ring] : [])
      .join("circle")
      .attr("class", "ring")
      .attr("cx", (ring) => ring.x)
      .attr("cy", (ring) => ring.y)
      .attr("r", (ring) => ring.radius);
    boxes
      .selectAll<SVGRectElement, unknown>("rect")
      .data(scene.boxes)
      .join("rect")
      .attr("x", (box) => box.x)
      .attr("y", (box) => box.y)
      .attr("width", (box) => Math.max(0, box.width))
      .attr("height", (box) => Math.max(0, box.height))
      .attr("rx", 10);
    boxes
      .selectAll<SVGTextElement, unknown>("text")
      .data(scene.boxes)
      .join("text")
      .attr("x", (box) => box.x + 10)
      .attr("y", (box) => box.y + 18)
      .text((box) => box.label);
  }

  private drawLinks(scene: Scene, radius: number, slow: number): void {
    const at = new Map(scene.nodes.map((node) => [node.id, node]));
    const path = (link: SceneLink) =>
      curve(at.get(link.from)!, at.get(link.to)!, bends[link.style], radius + 3);
    const links = this.layers.links
      .selectAll<SVGPathElement, SceneLink>("path")
      .data(scene.links, (link) => `${link.style} ${link.from} ${link.to}`)
      .join(
        (enter) => enter.append("path").attr("d", path).style("opacity", 0),
        undefined,
        (exit) => exit.remove(),
      )
      .attr("class", (link) => `link ${link.style}`)
      .attr("marker-end", (link) =>
        link.style === "faint" ? null : `url(#${this.marker}-${link.style})`,
      );
    if (slow > 0) links.transition().duration(slow).attr("d", path).style("opacity", 1);
    else links.interrupt().attr("d", path).style("opacity", 1);
  }

  private drawFlights(scene: Scene, moment: Moment, radius: number, slow: number): void {
    const at = new Map(scene.nodes.map((node) => [node.id, node]));
    const flights = moment.flights.filter((flight) => at.has(flight.from) && at.has(flight.to));
    const { film } = moment;
    const bend = (flight: Flight) => (flight.from === flight.to ? 0.6 : -0.14);
    const path = (flight: Flight) =>
      curve(at.get(flight.from)!, at.get(flight.to)!, bend(flight), radius + 4);
    const spot = (flight: Flight) =>
      along(at.get(flight.from)!, at.get(flight.to)!, bend(flight), radius, flight.progress);
    const text = (flight: Flight) => film.kindOf(flight.send);
    const labels = labelPlaces(flights, { scene, radius, size: this.size, bend, text });
    const weight = (flight: Flight) =>
      isWeighty(film.kindOf(flight.send)) ? "weighty" : "message";
    const groups = this.layers.flights
      .selectAll<SVGGElement, Flight>("g")
      .data(flights, (flight) => `${flight.send} ${flight.end}`)
      .join(
        (enter) => {
          const added = enter.append("g");
          added.append("path").attr("d", path);
          added
            .append("circle")
            .attr("cx", (flight) => at.get(flight.from)!.x)
            .attr("cy", (flight) => at.get(flight.from)!.y);
          added.append("text");
          added.append("title");
          return added;
        },
        undefined,
        (exit) => exit.remove(),
      )
      .attr("class", (flight) => `flight ${weight(flight)}`)
      .attr("data-send", (flight) => flight.send)
      .attr("tabindex", 0)
      .attr("role", "button")
      .attr("aria-label", (flight) => flightWords(film, flight))
      .on("click", (event: Event, flight) => this.hooks.onFlight?.(flight, event))
      .on("keydown", (event: KeyboardEvent, flight) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        this.hooks.onFlight?.(flight, event);
      });
    groups
      .select<SVGPathElement>("path")
      .attr("marker-end", (flight) => `url(#${this.marker}-${weight(flight)})`);
    groups.select("text").text((flight) => (labels.has(flight) ? text(flight) : ""));
    groups.select("title").text((flight) => flightWords(film, flight));
    groups.select("circle").attr("r", (flight) => (weight(flight) === "weighty" ? 6 : 4.5));
    const place = (moving: any) => {
      moving.select("path").attr("d", path);
      moving
        .select("circle")
        .attr("cx", (flight: Flight) => spot(flight).x)
        .attr("cy", (flight: Flight) => spot(flight).y);
      moving
        .select("text")
        .attr("x", (flight: Flight) => labels.get(flight)?.x ?? 0)
        .attr("y", (flight: Flight) => labels.get(flight)?.y ?? 0);
    };
    place(slow > 0 ? groups.transition().duration(slow) : groups.interrupt());
  }

  private drawNodes(
    scene: Scene,
    moment: Moment,
    emphasis: Emphasis,
    radius: number,
    slow: number,
  ): void {
    const { film } = moment;
    const actor = moment.event >= 0 && moment.event < film.count ? film.node[moment.event] : none;
    const classes = (node: SceneNode) =>
      [
        "node",
        moment.inside.has(node.id) && "inside",
        moment.waiting.has(node.id) && "waiting",
        moment.away(node.id) !== undefined && `away away-${moment.away(node.id)}`,
        node.marked && "marked",
        node.id === actor && "actor",
        emphasis.guilty.includes(node.id) && "guilty",
      ]
        .filter(Boolean)
        .join(" ");
    const where = (node: SceneNode) => `translate(${node.x},${node.y})`;
    const groups = this.layers.nodes
      .selectAll<SVGGElement, SceneNode>("g")
      .data(scene.nodes, (node) => String(node.id))
      .join((enter) => {
        const added = enter.append("g").attr("transform", where);
        added.append("circle").attr("class", "halo");
        added.append("circle").attr("class", "disc");
        added.append("path").attr("class", "cross");
        added.append("text").attr("class", "name").attr("dy", "0.35em");
        added.append("circle").attr("class", "token");
        added.append("text").attr("class", "note");
        return added;
      })
      .attr("class", classes)
      .attr("data-node", (node) => node.id)
      .attr("tabindex", 0)
      .attr("role", "button")
      .attr("aria-label", (node) => described({ ...scene, nodes: [node] }, moment)[0])
      .on("click", (event: Event, node) => this.hooks.onNode?.(node.id, event))
      .on("keydown", (event: KeyboardEvent, node) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        this.hooks.onNode?.(node.id, event);
      });
    const arm = radius * 0.9;
    groups.select(".halo").attr("r", radius + 5);
    groups.select(".disc").attr("r", radius);
    groups
      .select(".cross")
      .attr("d", `M${-arm},${-arm}L${arm},${arm}M${arm},${-arm}L${-arm},${arm}`);
    groups.attr("font-size", `${Math.max(9, Math.min(13, radius * 0.8))}px`);
    groups.select(".name").text((node) => short(film.name(node.id), radius));
    groups
      .select(".token")
      .attr("cx", radius * 0.78)
      .attr("cy", -radius * 0.78)
      .attr("r", (node) => (node.token ? Math.max(4, radius * 0.34) : 0));
    groups
      .select(".note")
      .attr("y", radius + 15)
      .text((node) => short(node.note ?? "", 60));
    if (slow > 0) groups.transition().duration(slow).attr("transform", where);
    else groups.interrupt().attr("transform", where);
  }
}

/** As large as the two nearest nodes leave room for. */
function radiusFor(nodes: Place[]): number {
  let least = Infinity;
  for (let i = 0; i < nodes.length; ++i)
    for (let j = 0; j < i; ++j)
      least = Math.min(least, Math.hypot(nodes[i].x - nodes[j].x, nodes[i].y - nodes[j].y));
  return Math.max(7, Math.min(17, least * 0.3));
}

function flightWords(film: Film, flight: Flight): string {
  const lost = flight.end !== none && film.wordOf(flight.end) === "lose" ? ", will be lost" : "";
  const way = `from ${film.name(flight.from)} to ${film.name(flight.to)}`;
  return `${film.kindOf(flight.send)} ${way}${lost}`;
}

function short(text: string, radius: number): string {
  const room = Math.max(3, Math.floor(radius / 2.6));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}
