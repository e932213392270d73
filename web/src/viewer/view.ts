// A run to look at: the space-time diagram, the structure beside it, and what moves through both.
// The trace viewer is one of these on a page of its own; the playground has one whose run grows.
//
//   const viewer = new Viewer(host, film, { onNode: (node) => ..., onFlight: (flight) => ... });
//   viewer.update(longer);        // another film: the moment is at its end
//   viewer.show(17);              // after the event of this index
//   viewer.moment, viewer.film    // what is shown
//   viewer.dispose();
//
// Hooks take the place of what a click does otherwise: a node shows its last event, a message its
// sending; call `choose(event)` or `chooseNode(node)` to do that, too.
import "./view.css";
import type { Film } from "../film/film";
import { Run, type Flight } from "../film/run";
import { sentence, when } from "../film/words";
import { h } from "../shared/dom";
import { Fragment } from "../shared/fragment";
import { formatAddress, parseAddress } from "./address";
import { Details } from "./details";
import type { AxisMode } from "./diagram/axis";
import { Diagram } from "./diagram/diagram";
import { Sieve } from "./filter";
import { Filters } from "./filters";
import { Head } from "./head";
import { Keys } from "./keys";
import { Minimap } from "./minimap";
import { onScheme } from "./palette";
import { Moment } from "./structure/scene";
import { Structure } from "./structure/structure";
import { EventTable } from "./table";
import { Tabs } from "./tabs";
import { Transport, type Sight } from "./transport";

export interface ViewerOptions {
  onNode?: (node: number, event: Event) => void;
  onFlight?: (flight: Flight, event: Event) => void;
  /** The moment has changed. */
  onMoment?: (event: number) => void;
  /** How long a drawing of the diagram took, in milliseconds. */
  onFrame?: (ms: number) => void;
  /** The page's address follows the moment, and sets the first one. */
  address?: boolean;
  /** Without the title and the command: the page has a head of its own. */
  headless?: boolean;
}

export class Viewer {
  readonly element: HTMLElement;
  readonly structure: Structure;
  readonly diagram: Diagram;
  film: Film;
  /** The event after which everything is shown. */
  moment = 0;
  private run: Run;
  private sieve!: Sieve;
  private axis: AxisMode;
  /** The event whose details are shown, if it is not the moment's. */
  private chosen = -1;
  private readonly head: Head;
  private readonly minimap: Minimap;
  private readonly transport: Transport;
  private readonly details: Details;
  private readonly table: EventTable;
  private readonly filters: Filters;
  private readonly tabs: Tabs;
  private readonly now = h("p", { class: "now", "aria-live": "polite" });
  private readonly leave: (() => void)[] = [];
  private readonly fragment: Fragment | null = null;

  constructor(
    host: HTMLElement,
    film: Film,
    private readonly options: ViewerOptions = {},
  ) {
    this.film = film;
    this.run = new Run(film);
    const given = options.address ? parseAddress(location.hash, film.header.kinds) : null;
    this.axis = given?.axis ?? usual(film);
    this.moment = clamp(given?.event ?? beginning(film), film.count);
    this.chosen = given?.chosen ?? -1;
    this.structure = new Structure({
      onNode: options.onNode ?? ((node) => this.chooseNode(node)),
      onFlight: options.onFlight ?? ((flight) => this.choose(flight.send)),
    });
    this.diagram = new Diagram({
      onEvent: (event) => this.go(event, event),
      onNode: (node) => this.chooseNode(node),
      onMoment: (event) => this.show(event),
      onWindow: (x0, x1) => this.minimap.look(x0, x1),
      onFrame: (ms) => options.onFrame?.(ms),
    });
    this.minimap = new Minimap((event) => this.show(event));
    this.details = new Details((event) => this.go(event, event));
    this.table = new EventTable((event) => this.show(event));
    this.filters = new Filters(() => this.refilter());
    if (given) this.filters.start(given.filter);
    this.transport = new Transport({
      step: (by) => this.step(by),
      jump: (what, way) => this.jumpTo(what, way),
      advance: (by) => this.advance(by),
      rewind: () => this.moment >= this.film.count - 1 && this.show(0),
    });
    this.head = new Head(this, !options.headless);
    this.tabs = new Tabs(
      [
        ["Event", this.details.element],
        ["All events", this.table.element],
        ["Filter", this.filters.element],
      ],
      (name) => name === "All events" && this.table.choose(this.moment),
    );
    this.element = h(
      "div",
      { class: "viewer" },
      this.head.element,
      h(
        "div",
        { class: "stage" },
        h(
          "div",
          { class: "run" },
          this.head.story,
          this.diagram.element,
          h("div", { class: "controls" }, this.minimap.element, this.transport.element, this.now),
        ),
        h("div", { class: "side" }, this.structure.element, this.tabs.element),
      ),
    );
    host.append(this.element);
    this.leave.push(
      onScheme(() => this.diagram.recolour()),
      new Keys(this).leave,
    );
    if (options.address)
      this.fragment = new Fragment(
        () => this.address(),
        () => this.followAddress(),
      );
    this.take(false);
  }

  /** Shows another film, mostly the same run with more events. The moment is its end. */
  update(film: Film): void {
    this.film = film;
    this.run = new Run(film);
    this.moment = clamp(film.count - 1, film.count);
    this.chosen = -1;
    this.transport.stop();
    this.take(true);
  }

  /** Shows the moment after this event. */
  show(event: number): void {
    this.go(event, -1);
  }

  /** Shows the details of an event; the moment stays. */
  choose(event: number): void {
    this.tabs.show("Event");
    this.go(this.moment, event);
  }

  /** Shows the details of a node's last event by this moment. */
  chooseNode(node: number): void {
    const events = this.film.eventsOf(node);
    let last = -1;
    for (const event of events) {
      if (event > this.moment) break;
      last = event;
    }
    if (last >= 0) this.choose(last);
  }

  step(by: number): void {
    this.transport.stop();
    // Skips what the filter hides.
    let event = this.moment;
    for (let left = Math.abs(by); left > 0; --left) {
      let next = event + Math.sign(by);
      while (next >= 0 && next < this.film.count && !this.sieve.passes(next)) next += Math.sign(by);
      if (next < 0 || next >= this.film.count) break;
      event = next;
    }
    this.show(event);
  }

  /** Jumps to the next one, or to the one before. */
  jumpTo(what: Sight, way: 1 | -1): void {
    this.transport.stop();
    const events = this.sights(what);
    let found = -1;
    for (let i = 0; i < events.length; ++i) {
      if (way < 0 && events[i] < this.moment) found = events[i];
      if (way > 0 && events[i] > this.moment) {
        found = events[i];
        break;
      }
    }
    if (found >= 0) this.show(found);
  }

  play(): void {
    this.transport.toggle();
  }

  openTab(name: "All events" | "Filter"): void {
    this.tabs.show(name);
    if (name === "Filter") this.filters.focus();
    else this.table.focus();
  }

  openHelp(): void {
    this.head.help.open();
  }

  toggleAxis(): void {
    this.axis = this.axis === "time" ? "order" : "time";
    this.refilter();
  }

  get axisMode(): AxisMode {
    return this.axis;
  }

  dispose(): void {
    this.transport.stop();
    this.diagram.dispose();
    this.structure.dispose();
    this.minimap.dispose();
    this.fragment?.leave();
    for (const leave of this.leave) leave();
    this.element.remove();
  }

  private sights(what: Sight): ArrayLike<number> {
    if (what === "entry") return this.run.entries;
    const { captions, violations } = this.film.header;
    const all: { event: number }[] = what === "caption" ? captions : violations;
    return all.map(({ event }) => clamp(event, this.film.count));
  }

  private advance(by: number): boolean {
    const next = Math.min(this.film.count - 1, this.moment + by);
    this.show(next);
    return next < this.film.count - 1;
  }

  /** Shows the current film. */
  private take(keep: boolean): void {
    const { film } = this;
    this.filters.show(film, this.run);
    this.head.show(film);
    const rate = film.count > 20000 ? 1000 : film.count > 2000 ? 20 : film.count > 300 ? 5 : 2;
    this.transport.show(rate, {
      events: film.count > 0,
      entries: this.run.entries.length > 0,
      captions: film.header.captions.length > 1,
      violations: film.header.violations.length > 0,
    });
    this.sift(keep);
  }

  private refilter(): void {
    this.sift(true);
  }

  private sift(keep: boolean): void {
    this.sieve = new Sieve(this.film, this.filters.filter);
    this.diagram.show(this.film, this.run, this.sieve, this.axis, keep);
    this.minimap.show(this.film, this.run, this.diagram.axis);
    this.minimap.look(this.diagram.window.x0, this.diagram.window.x1);
    this.table.show(this.film, this.sieve);
    this.go(this.moment, this.chosen, !keep);
  }

  private go(event: number, chosen: number, anew = false): void {
    const { film } = this;
    const before = this.moment;
    this.moment = clamp(event, film.count);
    this.chosen = chosen < film.count ? chosen : -1;
    const moment = new Moment(film, this.run, film.count > 0 ? this.moment : -1);
    const broken = this.brokenAt(moment);
    const guilty = broken.flatMap((violation) => violation.nodes);
    this.diagram.choose({ moment, event: this.chosen, guilty });
    this.structure.draw(moment, { guilty }, anew || Math.abs(this.moment - before) > 40);
    this.details.show(film, this.chosen >= 0 ? this.chosen : moment.event);
    this.table.choose(this.moment);
    this.head.choose(moment.event, broken);
    const text =
      film.count > 0 ? sentence(film, this.moment).slice(0, 200) : "Nothing has happened yet.";
    const number = (value: number) => value.toLocaleString("en");
    const place = `${number(this.moment + 1)} of ${number(film.count)}`;
    const where = film.count > 0 ? `${place}, ${when(film, this.moment)}` : "";
    // Nobody listens to a sentence many times a second.
    this.now.setAttribute("aria-live", this.transport.active ? "off" : "polite");
    this.now.replaceChildren(
      h("span", { class: "now-what" }, text),
      h("span", { class: "quiet" }, where),
    );
    this.minimap.choose(this.moment, `${where}: ${text}`);
    this.options.onMoment?.(this.moment);
    this.fragment?.keepSoon();
  }

  /** The violations at a moment: by its event, or before, while all who broke it are inside. */
  private brokenAt(moment: Moment) {
    const { film } = this;
    return film.header.violations.filter((violation) => {
      const event = clamp(violation.event, film.count);
      const still =
        violation.nodes.length > 1 && violation.nodes.every((node) => moment.inside.has(node));
      return event === moment.event || (event < moment.event && still);
    });
  }

  /** The user has written another address, or gone back to one. */
  private followAddress(): void {
    const { event, chosen } = parseAddress(location.hash, this.film.header.kinds);
    if (event !== undefined) this.go(event, chosen ?? -1);
  }

  private address(): string {
    const { filter } = this.filters;
    const axis = this.axis === usual(this.film) ? undefined : this.axis;
    const chosen = this.chosen >= 0 ? this.chosen : undefined;
    return formatAddress({ event: this.moment, chosen, axis, filter }, this.film.header.kinds);
  }
}

/** The first event to show: the first violation, unless captions tell the story. */
function beginning(film: Film): number {
  const { captions, violations } = film.header;
  return captions.length === 0 && violations.length > 0 ? violations[0].event : 0;
}

/** The axis at first: the steps of a script are all alike; several may have the same time. */
function usual(film: Film): AxisMode {
  return film.header.unit === "step" ? "order" : "time";
}

function clamp(event: number, count: number): number {
  return Math.max(0, Math.min(event, count - 1));
}
