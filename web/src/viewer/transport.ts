// The controls below the diagram: play, step, jump, and how fast.
import { h } from "../shared/dom";
import { icon, type Icon } from "./icons";

/** What the buttons jump to. */
export type Sight = "entry" | "violation" | "caption";

export interface TransportHooks {
  step: (by: number) => void;
  jump: (to: Sight, way: 1 | -1) => void;
  /** Moves on by this many events. Returns false when the end is reached. */
  advance: (by: number) => boolean;
  /** Called before playing: goes to the beginning if it is at the end. */
  rewind: () => void;
}

const speeds = [1, 2, 5, 20, 100, 1000, 10000];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly back: HTMLButtonElement;
  private readonly forward: HTMLButtonElement;
  private readonly entries: HTMLElement;
  private readonly captions: HTMLElement;
  private readonly violations: HTMLElement;
  private playing = false;
  private last = 0;
  private due = 0;

  constructor(private readonly hooks: TransportHooks) {
    this.play = h("button", { class: "play", onclick: () => this.toggle() });
    this.speed = h(
      "select",
      { "aria-label": "Speed" },
      ...speeds.map((rate) => h("option", { value: rate }, `${rate.toLocaleString("en")}/s`)),
    );
    this.back = button("back", "Step back", () => hooks.step(-1));
    this.forward = button("forward", "Step forward", () => hooks.step(1));
    this.entries = this.jumps("entry");
    this.captions = this.jumps("caption");
    this.violations = this.jumps("violation");
    this.element = h(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Moment" },
      h(
        "div",
        { class: "group" },
        this.back,
        this.play,
        this.forward,
      ),
      this.speed,
      this.entries,
      this.violations,
      this.captions,
    );
    this.setPlaying(false);
  }

  /** Enables and shows the controls that a run needs. */
  show(rate: number, has: Record<"events" | "entries" | "captions" | "violations", boolean>): void {
    this.speed.value = String(rate);
    this.captions.hidden = !has.captions;
    this.violations.hidden = !has.violations;
    for (const step of [this.play, this.back, this.forward]) step.disabled = !has.events;
    for (const jump of this.entries.querySelectorAll("button")) jump.disabled = !has.entries;
  }

  get active(): boolean {
    return this.playing;
  }

  toggle(): void {
    if (!this.playing) this.hooks.rewind();
    this.setPlaying(!this.playing);
  }

  stop(): void {
    if (this.playing) this.setPlaying(false);
  }

  private jumps(to: Sight): HTMLElement {
    const name = to[0].toUpperCase() + to.slice(1);
    return h(
      "div",
      { class: "group jump", role: "group", "aria-label": name },
      button("previous", `Previous ${to}`, () => this.hooks.jump(to, -1)),
      h("span", { class: "jump-label", "aria-hidden": "true" }, name),
      button("next", `Next ${to}`, () => this.hooks.jump(to, 1)),
    );
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.play.title = `${playing ? "Pause" : "Play"} (space)`;
    this.last = 0;
    this.due = 0;
    if (playing) requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    if (this.last > 0)
      this.due += (Math.min(now - this.last, 250) / 1000) * Number(this.speed.value);
    this.last = now;
    const by = Math.floor(this.due);
    this.due -= by;
    if (by > 0 && !this.hooks.advance(by)) return this.setPlaying(false);
    requestAnimationFrame((next) => this.tick(next));
  }
}

function button(name: Icon, label: string, click: () => void): HTMLButtonElement {
  return h("button", { "aria-label": label, title: label, onclick: click }, icon(name));
}
