// All parts of the page, and what goes from one to another.
import { Film } from "../film/film";
import { h } from "../shared/dom";
import { Fragment } from "../shared/fragment";
import { Viewer } from "../viewer/view";
import { isBehind, messageActions, nodeActions, type Action } from "./actions";
import { Controls } from "./controls";
import { copyText, HelpDialog, ScenarioDialog } from "./dialogs";
import { Flights } from "./flights";
import { formatLink, parseLink } from "./link";
import { describe, Members } from "./members";
import { Menu } from "./menu";
import type { Entry, Module } from "./module";
import { Script } from "./script";
import { commandsOf, Session } from "./session";
import { Setup } from "./setup";
import { starts } from "./starts";
import { Status } from "./status";

export class Page {
  readonly session: Session;
  private readonly setup: Setup;
  private readonly controls: Controls;
  private readonly status = new Status();
  private readonly flights = new Flights((action) => this.act(action));
  private readonly members = new Members((node, event) => this.openNode(node, event));
  private readonly script = new Script(
    (count) => this.session.back(count),
    (line) => this.act({ label: "", lines: [line] }),
  );
  private readonly menu = new Menu((action) => this.act(action));
  private readonly scenario = new ScenarioDialog((text) =>
    this.open(commandsOf(text), this.session.seed),
  );
  private readonly help = new HelpDialog();
  private readonly hint = h("p", { class: "hint" });
  /** Whether the page gives hints, because the user has begun a new group. */
  private guided = false;
  private readonly copied = h("span", { class: "sr-only", role: "status" });
  private readonly past = h("div", { class: "past", hidden: true });
  private readonly stage = h("div", { class: "playground-view" });
  private viewer: Viewer | null = null;
  private readonly fragment = new Fragment(
    () => this.link(),
    () => this.follow(),
  );

  constructor(host: HTMLElement, module: Module) {
    this.session = new Session(module, () => this.show());
    this.controls = new Controls(this.session, () => this.guideAgain());
    this.setup = new Setup(
      module.catalog(),
      (line) => this.open([line], this.session.seed),
      (seed) => this.reseed(seed),
    );
    host.append(
      h(
        "div",
        { class: "playground" },
        this.head(),
        this.setup.element,
        this.hint,
        h(
          "div",
          { class: "playground-stage" },
          h(
            "div",
            { class: "panel" },
            this.controls.element,
            h(
              "div",
              { class: "panel-scroll" },
              this.status.element,
              this.members.element,
              this.flights.element,
            ),
            this.script.element,
          ),
          h("div", { class: "view-column" }, this.past, this.stage),
        ),
        this.menu.element,
        this.scenario.element,
        this.help.element,
      ),
    );
    document.addEventListener("keydown", (event) => this.press(event), { capture: true });
    this.follow();
  }

  private head(): HTMLElement {
    const copy = h(
      "button",
      {
        title: "A link to this run, with everything that has happened",
        onclick: () => this.copyLink(),
      },
      "Copy link",
    );
    return h(
      "header",
      { class: "playground-head" },
      h("h1", {}, "Playground"),
      h(
        "nav",
        { "aria-label": "Where to begin" },
        ...starts.map((start) =>
          h(
            "a",
            { href: formatLink({ seed: 1, lines: start.lines, at: start.lines.length }) },
            start.name,
          ),
        ),
      ),
      h(
        "div",
        { class: "row tools" },
        copy,
        this.copied,
        h("button", { onclick: () => this.scenario.open(this.session.scenario()) }, "Scenario"),
        h(
          "button",
          { "aria-label": "Keys", title: "Keys (?)", onclick: () => this.help.open() },
          "?",
        ),
      ),
    );
  }

  /** Opens the run that the page's address has. */
  private follow(): void {
    const link = parseLink(location.hash);
    if (link) this.open(link.lines, link.seed, link.at);
    else this.open(["nodes 5 naimi-trehel"], 1);
  }

  private open(lines: string[], seed: number, at = lines.length): void {
    this.controls.stop();
    this.session.seed = seed;
    const wrong = this.session.open(lines, at);
    this.script.complain(wrong);
    if (this.session.steps.length > 0) this.setup.show(this.group(), seed);
    const start = starts.find((each) => each.lines.join() === lines.join());
    this.guided = !start && lines.length <= 1;
    if (this.guided) this.guideAgain();
    else this.say(start?.hint ?? "");
  }

  private say(hint: string): void {
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
    this.hint.hidden = hint === "";
  }

  private guideAgain(): void {
    if (this.guided) this.say(this.guide());
  }

  /** The hint, which names only what can be pressed now. */
  private guide(): string {
    const { session } = this;
    if (!session.sight) return "";
    if (session.next() === "")
      return "Nothing happens by itself: click a node, and choose what it does.";
    return session.sight.flight.length > 0
      ? "Click a message to deliver or drop it, or press Step."
      : "Click a node, and choose what it does, or press Step.";
  }

  /** The line that began the group. */
  private group(): string {
    return this.session.lines.filter((line) => line.startsWith("nodes ")).at(-1) ?? "";
  }

  private get entry(): Entry | undefined {
    return this.setup.find(this.session.sight?.algorithm ?? "");
  }

  private act({ lines }: Action): boolean {
    this.controls.stop();
    const wrong = this.session.do(...lines);
    this.script.complain(wrong);
    return wrong === "";
  }

  private reseed(seed: number): void {
    this.session.seed = seed;
    this.controls.show();
    this.fragment.keepSoon();
  }

  private show(): void {
    const { session } = this;
    this.controls.show();
    if (session.sight) {
      this.status.show(session.sight, session.steps);
      this.members.show(session.sight.members, this.entry?.can.elects ?? false);
      this.flights.show(session.sight.flight);
      this.film();
    }
    this.guideAgain();
    this.script.show(session.steps, session.ahead);
    this.fragment.keepSoon();
  }

  private film(): void {
    const film = new Film(this.session.module.film());
    if (this.viewer) return this.viewer.update(film);
    this.viewer = new Viewer(this.stage, film, {
      headless: true,
      onNode: (node, event) =>
        this.now()
          ? this.openNode(Number(this.viewer!.film.name(node)), event)
          : this.viewer!.chooseNode(node),
      onFlight: (flight, event) =>
        this.now() ? this.openFlight(flight.send, event) : this.viewer!.choose(flight.send),
      onMoment: () => this.showPast(),
    });
    this.viewer.show(film.count - 1);
  }

  /** Whether the end of the run is shown: only there can anything be done. */
  private now(): boolean {
    return !this.viewer || this.viewer.moment >= this.viewer.film.count - 1;
  }

  private showPast(): void {
    this.past.hidden = this.now();
    if (this.past.hidden || !this.viewer) return;
    const { moment } = this.viewer;
    const count = this.session.steps.findIndex((step) => step.events > moment) + 1;
    this.past.replaceChildren(
      h("span", {}, "You look at the past."),
      h("button", { onclick: () => this.viewer?.show(this.viewer.film.count - 1) }, "Back to now"),
      h("button", { onclick: () => this.goOnFrom(Math.max(1, count)) }, "Go on from here"),
    );
  }

  private goOnFrom(count: number): void {
    this.controls.stop();
    this.session.back(count);
  }

  private openNode(node: number, event: Event): void {
    const { sight } = this.session;
    const member = sight?.members.find((each) => each.node === node);
    if (!sight || !member || !this.entry) return;
    const note = describe(member, this.entry.can.elects) + (member.token ? ", has the token" : "");
    this.menu.open(`Node ${node}`, note, nodeActions(member, sight, this.entry), event);
  }

  private openFlight(send: number, event: Event): void {
    const { sight } = this.session;
    const film = this.viewer?.film;
    if (!sight || !film) return;
    const [from, to] = [Number(film.name(film.node[send])), Number(film.name(film.peer[send]))];
    const kind = film.kindOf(send);
    const message = sight.flight.find(
      (each) =>
        each.from === from && each.to === to && each.kind === kind && !isBehind(each, sight.flight),
    );
    if (message)
      this.menu.open(
        `${from} → ${to}  ${kind}`,
        message.text.slice(kind.length),
        messageActions(message),
        event,
      );
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]") || this.menu.element.contains(target)) return;
    if (event.altKey || target.matches("input:not([type=checkbox]), select, textarea")) return;
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey) && !undo) return;
    const back = () => this.session.undo();
    const forth = () => this.session.redo();
    const actions: Record<string, () => void> = {
      s: () => this.controls.step(),
      r: () => this.controls.toggle(),
      e: () => this.controls.settle(),
      u: back,
      U: forth,
      "?": () => this.help.open(),
    };
    const act = undo ? (event.shiftKey ? forth : back) : actions[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  private link(): string {
    const { session } = this;
    const lines = [...session.lines, ...session.ahead];
    return formatLink({ seed: session.seed, lines, at: session.steps.length });
  }

  private async copyLink(): Promise<void> {
    this.fragment.keep();
    const done = await copyText(location.href);
    this.copied.textContent = done
      ? "The link is copied."
      : "The link is in the address of the page.";
  }
}
