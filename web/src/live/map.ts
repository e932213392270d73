// The members on a map, and the tokens of a few locks on their way between them.
import { h } from "../shared/dom";
import { LockColours } from "./colours";
import { type Layout, layOut, readable, type Spot } from "./layout";
import { svg } from "./svg";
import type { Group, Lock, Member } from "./talk";
import { durationText, rateText, shortId } from "./words";

const travel_ms = 700;
const tokens_max = 6;

/** A lock whose token is on the map. */
interface Followed {
  lock: Lock;
  colour: number;
  /** Where its token is, or was last. */
  at: string | null;
  dot: SVGGElement;
  travels: Animation | null;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class GroupMap {
  readonly element: HTMLElement;
  private readonly picture = svg("svg", { class: "map", role: "group", "aria-label": "Members" });
  private readonly under = svg("g");
  private readonly trails = svg("g");
  private readonly over = svg("g");
  private readonly tokens = svg("g");
  private readonly legend = h("ul", { class: "followed", "aria-label": "Locks on the map" });
  private readonly followed = new Map<string, Followed>();
  private readonly colours = new LockColours();
  private layout: Layout = { boxes: [], spots: new Map(), radius: 20, crowded: new Set() };
  private group: Group | null = null;
  private rates: ReadonlyMap<string, number> = new Map();
  private chosen: Lock | null = null;
  private size = "";
  private readonly pictures = new Map<string, SVGGElement>();

  constructor(
    private readonly chooseLock: (name: string) => void,
    private readonly chooseMember: (id: string) => void,
  ) {
    this.picture.append(this.under, this.trails, this.over, this.tokens);
    this.element = h("div", { class: "map-box" }, this.picture, this.legend);
    new ResizeObserver(() => this.group && this.draw()).observe(this.picture);
  }

  show(group: Group, rates: ReadonlyMap<string, number>, chosen: Lock | null) {
    this.group = group;
    this.rates = rates;
    this.chosen = chosen;
    this.follow(chosen ? [chosen, ...group.busiest] : group.busiest);
    this.draw();
  }

  /** Moves a token at once: this peer reports its own as they come and go. */
  moved(lock: string, from: string, to: string) {
    const found = this.followed.get(lock);
    if (!found) return;
    found.at = from;
    this.send(found, to);
  }

  /** Chooses the locks on the map; a lock that stays keeps its colour. */
  private follow(locks: Lock[]) {
    const wanted = new Map<string, Lock>();
    for (const lock of locks)
      if (wanted.size < tokens_max && !wanted.has(lock.lock)) wanted.set(lock.lock, lock);
    for (const [name, each] of this.followed) {
      if (wanted.has(name)) continue;
      each.dot.remove();
      this.followed.delete(name);
    }
    const taken = [...this.followed.values()].map((each) => each.colour);
    const come = [...wanted.keys()].filter((name) => !this.followed.has(name));
    for (const [name, each] of this.followed) each.lock = wanted.get(name)!;
    for (const [name, colour] of this.colours.assign(come, taken))
      this.add(wanted.get(name)!, colour);
  }

  private add(lock: Lock, colour: number) {
    const dot = svg("g", { class: "token", style: `--colour: var(--series-${colour})` });
    dot.append(svg("circle", { r: 7 }), svg("title", {}, lock.lock));
    this.tokens.append(dot);
    this.followed.set(lock.lock, { lock, colour, at: null, dot, travels: null });
  }

  private draw() {
    const { clientWidth: width, clientHeight: height } = this.picture;
    if (!this.group || width === 0) return;
    const key = `${width} ${height} ${this.group.members.map((each) => each.id + each.cluster)}`;
    if (key !== this.size) {
      this.size = key;
      this.layout = layOut(this.group.members, width, height);
      this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
      for (const each of this.followed.values()) each.at = null; // Tokens are put, not moved.
    }
    this.drawBoxes();
    this.drawMembers();
    for (const each of this.followed.values()) this.place(each);
    this.drawLegend();
  }

  private drawBoxes() {
    this.under.replaceChildren(
      ...this.layout.boxes.flatMap(({ name, x, y, width, height }) => [
        svg("rect", { class: "cluster", x, y, width, height, rx: 12 }),
        svg(
          "text",
          { class: "cluster-name", x: x + 12, y: y + 20 },
          name || "this peer and its neighbours",
        ),
      ]),
    );
  }

  /** A member stays the same element: the user may be about to press it. */
  private drawMembers() {
    const ids = new Set(this.group!.members.map((member) => member.id));
    for (const [id, picture] of this.pictures) {
      if (ids.has(id)) continue;
      picture.remove();
      this.pictures.delete(id);
    }
    for (const member of this.group!.members) this.drawMember(member);
  }

  private pictureOf(id: string): SVGGElement {
    const found = this.pictures.get(id);
    if (found) return found;
    const picture = svg("g", { tabindex: 0, role: "button", "data-id": id });
    picture.append(
      svg("circle"),
      svg("title"),
      svg("text", { class: "id" }, shortId(id)),
      svg("text", { class: "below" }),
      svg("text", { class: "place" }),
    );
    picture.addEventListener("click", () => this.chooseMember(id));
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.chooseMember(id);
    });
    this.pictures.set(id, picture);
    this.over.append(picture);
    return picture;
  }

  private drawMember(member: Member) {
    const spot = this.layout.spots.get(member.id)!;
    const radius = this.layout.radius;
    const locks = [...this.followed.values()].map((each) => each.lock);
    const holds = locks.some((lock) => lock.holders.some((part) => part.member === member.id));
    const waits = locks.some((lock) => lock.waiters.some((part) => part.member === member.id));
    const self = member.id === this.group!.asked;
    const away = !member.answers;
    const words = ["member", holds && "holds", waits && "waits", away && "away", self && "self"];
    if (radius < readable) words.push("small-member");
    const crowded = this.layout.crowded.has(member.id);
    if (crowded) words.push("crowded-member");
    const picture = this.pictureOf(member.id);
    picture.setAttribute("class", words.filter(Boolean).join(" "));
    picture.setAttribute("transform", `translate(${spot.x} ${spot.y})`);
    picture.setAttribute("aria-label", this.described(member, holds, waits));
    const [circle, title, id, below, place] = [...picture.children];
    circle.setAttribute("r", String(radius));
    title.textContent = this.described(member, holds, waits);
    id.setAttribute("y", "4.5");
    const rate = `${rateText(this.rates.get(member.id) ?? 0)}/s`;
    below.textContent = away ? "no answer" : self ? `${rate}, here` : rate;
    below.setAttribute("y", String(radius + 16));
    place.textContent = this.placeInLine(member.id);
    place.setAttribute("x", String(crowded ? 0 : radius + 5));
    place.setAttribute("y", String(crowded ? radius + 16 : radius - 2));
  }

  private described(member: Member, holds: boolean, waits: boolean): string {
    const words = [member.id];
    if (member.cluster) words.push(`cluster ${member.cluster}`);
    if (member.id === this.group!.asked) words.push("this peer");
    if (!member.answers) words.push(member.lease === "ended" ? "its lease has ended" : "no answer");
    if (member.age_s !== undefined) words.push(`${durationText(member.age_s)} old`);
    if (holds) words.push("holds a lock");
    if (waits) words.push("waits");
    return words.join(", ");
  }

  /** The member's place in the queue of the chosen lock. */
  private placeInLine(id: string): string | null {
    const i = this.chosen?.waiters.findIndex((part) => part.member === id) ?? -1;
    return i < 0 ? null : `${i + 1}.`;
  }

  private place(each: Followed) {
    const to = each.lock.holders[0]?.member ?? each.lock.token ?? null;
    each.dot.classList.toggle("held", each.lock.holders.length > 0);
    each.dot.classList.toggle("nowhere", to === null || !this.layout.spots.has(to));
    if (to === null || !this.layout.spots.has(to)) return void (each.at = null);
    if (each.at === null || each.at === to) {
      each.at = to;
      if (each.travels?.playState !== "running") this.put(each, this.spotOf(each, to));
    } else {
      this.send(each, to);
    }
  }

  /** Several tokens at one member stand side by side on its rim, above the text below it. */
  private spotOf(each: Followed, id: string): Spot {
    const spot = this.layout.spots.get(id)!;
    const angle = -Math.PI - 0.25 + (each.colour - 1) * 0.56;
    const off = this.layout.radius + 6;
    return { x: spot.x + off * Math.cos(angle), y: spot.y + off * Math.sin(angle) };
  }

  private put(each: Followed, spot: Spot) {
    each.dot.setAttribute("transform", `translate(${spot.x} ${spot.y})`);
  }

  private send(each: Followed, to: string) {
    if (!each.at || !this.layout.spots.has(each.at) || !this.layout.spots.has(to)) return;
    if (each.at === to) return;
    const from = this.spotOf(each, each.at);
    const spot = this.spotOf(each, to);
    each.at = to;
    this.put(each, spot);
    this.element.dataset.moves = String(Number(this.element.dataset.moves ?? 0) + 1);
    if (calm() || document.hidden || each.travels?.playState === "running") return;
    const middle = { x: (from.x + spot.x) / 2, y: Math.min(from.y, spot.y) - 28 };
    this.trace(each, from, middle, spot);
    const frames = [0, 0.25, 0.5, 0.75, 1].map((t) => {
      const x = (1 - t) ** 2 * from.x + 2 * t * (1 - t) * middle.x + t * t * spot.x;
      const y = (1 - t) ** 2 * from.y + 2 * t * (1 - t) * middle.y + t * t * spot.y;
      return { transform: `translate(${x}px, ${y}px)` };
    });
    each.travels = each.dot.animate(frames, { duration: travel_ms, easing: "ease-in-out" });
  }

  private trace(each: Followed, from: Spot, middle: Spot, to: Spot) {
    const trail = svg("path", {
      class: "trail",
      d: `M ${from.x} ${from.y} Q ${middle.x} ${middle.y} ${to.x} ${to.y}`,
      style: `--colour: var(--series-${each.colour})`,
    });
    this.trails.append(trail);
    const fades = trail.animate([{ opacity: 0.9 }, { opacity: 0 }], { duration: 3 * travel_ms });
    fades.onfinish = () => trail.remove();
    fades.oncancel = () => trail.remove();
  }

  private drawLegend() {
    const all = [...this.followed.values()];
    const key = all.map((each) => `${each.colour} ${each.lock.lock}`).join("\n");
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    this.legend.replaceChildren(
      ...all.map(({ lock, colour }) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              class: "followed-lock",
              style: `--colour: var(--series-${colour})`,
              title: lock.lock,
              onclick: () => this.chooseLock(lock.lock),
            },
            lock.lock,
          ),
        ),
      ),
    );
  }
}
