// The controls below the diagram: play, step, jump, and how fast.
import { h } from "../shared/dom";
import { icon, type Icon } from "./icons";

export interface TransportHooks {
  step: (by: number) => void;
  entry: (direction: 1 | -1) => void;
  violation: (direction: 1 | -1) => void;
  caption: (direction: 1 | -1) => void;
  /** Goes on by so many events; false when the end is reached. */
  advance: (by: number) => boolean;
  /** Before playing: from the beginning, if it stands at the end. */
  rewind: () => void;
}

const speeds = [1, 2, 5, 20, 100, 1000, 10000];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
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
    this.captions = pair("Caption", "previous caption", "next caption", (way) =>
      hooks.caption(way),
    );
    this.violations = pair("Violation", "previous violation", "next violation", (way) =>
      hooks.violation(way),
    );
    this.element = h(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Moment" },
      h(
        "div",
        { class: "group" },
        button("back", "Step back", () => hooks.step(-1)),
        this.play,
        button("forward", "Step forward", () => hooks.step(1)),
      ),
      this.speed,
      pair("Entry", "previous entry", "next entry", (way) => hooks.entry(way)),
      this.violations,
      this.captions,
    );
    this.setPlaying(false);
  }

  show(rate: number, captions: boolean, violations: boolean): void {
    this.speed.value = String(rate);
    this.captions.hidden = !captions;
    this.violations.hidden = !violations;
  }

  toggle(): void {
    if (!this.playing) this.hooks.rewind();
    this.setPlaying(!this.playing);
  }

  stop(): void {
    if (this.playing) this.setPlaying(false);
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

function pair(
  label: string,
  back: string,
  forward: string,
  go: (way: 1 | -1) => void,
): HTMLElement {
  return h(
    "div",
    { class: "group jump", role: "group", "aria-label": label },
    button("previous", capital(back), () => go(-1)),
    h("span", { class: "jump-label", "aria-hidden": "true" }, label),
    button("next", capital(forward), () => go(1)),
  );
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
