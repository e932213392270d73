// What lasts in a film: visits to the critical section, waits, messages in flight, absences of
// nodes. One pass over all events finds it; then it can be asked for any moment.
import { none, type Film } from "./film";
import { group, type Grouped } from "./group";
import { SpanList, Spans } from "./spans";

/** Why a node does not take part, or cannot reach some nodes. */
export enum Away {
  crashed,
  paused,
  cutOff,
  gone,
}

/** A message in flight at some moment. */
export interface Flight {
  send: number;
  /** The event at its other end, or `none`. */
  end: number;
  from: number;
  to: number;
  /** How far it has come, from 0 to 1. */
  progress: number;
}

/**
 * Whether a message gives the right to enter, or says who was elected. It is drawn to stand out.
 */
export function isWeighty(kind: string): boolean {
  return /TOKEN|GRANT|PRIVILEGE|HANDOVER|ELECTED|COORDINATOR/.test(kind);
}

export class Run {
  readonly visits: Spans;
  readonly waits: Spans;
  readonly messages: Spans;
  /** The weighty ones among `messages`. */
  readonly tokens: Spans;
  readonly away: Spans;
  readonly awayWhy: Uint8Array;
  /** The events at which a node enters, or elects a coordinator. */
  readonly entries: Uint32Array;
  /** How many messages of each kind were sent. */
  readonly kindCounts: Uint32Array;
  private awayByNode: Grouped | null = null;

  constructor(readonly film: Film) {
    const scan = new Scan(film);
    for (let event = 0; event < film.count; ++event) scan.see(event);
    this.visits = scan.visits.spans();
    this.waits = withEnds(scan.waits.spans(), scan.waitEnds);
    this.messages = scan.messageSpans();
    this.tokens = this.weighty();
    this.away = withEnds(scan.away.spans(), scan.awayEnds);
    this.awayWhy = Uint8Array.from(scan.awayWhy);
    this.entries = Uint32Array.from(scan.entries);
    this.kindCounts = scan.kindCounts;
  }

  /** The nodes inside right after an event, as the events by which they entered. */
  insideAt(event: number): number[] {
    return this.visits.openAt(event).map((visit) => this.visits.from[visit]);
  }

  /** The nodes that wait right after an event, as their requests. */
  waitingAt(event: number): number[] {
    return this.waits.openAt(event).map((wait) => this.waits.from[wait]);
  }

  /** The messages in flight right after an event, at most `most` of them. */
  flightsAt(event: number, most = 400): Flight[] {
    const { film, messages } = this;
    const found: Flight[] = [];
    messages.meet(event, event, (message) => {
      const send = messages.from[message];
      const end = messages.to[message];
      const begin = film.at[send];
      const length = end === none ? 0 : film.at[end] - begin;
      const share = length > 0 ? (film.at[event] - begin) / length : inOrder(send, event, end);
      found.push({ send, end, from: film.node[send], to: film.peer[send], progress: share });
      return found.length < most;
    });
    return found;
  }

  /** Why a node is away right after an event, if it is. */
  awayAt(node: number, event: number): Away | undefined {
    this.awayByNode ??= group(
      this.away.from.map((from) => this.film.node[from]),
      this.film.nodes,
      () => true,
    );
    const { starts, items } = this.awayByNode;
    for (let i = starts[node]; i < starts[node + 1]; ++i) {
      const span = items[i];
      if (this.away.from[span] > event) break;
      if (this.away.to[span] > event) return this.awayWhy[span];
    }
    return undefined;
  }

  private weighty(): Spans {
    const { film, messages } = this;
    const kinds = film.header.kinds.map(isWeighty);
    const list = new SpanList();
    for (let message = 0; message < messages.count; ++message)
      if (kinds[film.kind[messages.from[message]]])
        list.add(messages.from[message], messages.to[message]);
    return list.spans();
  }
}

function inOrder(send: number, event: number, end: number): number {
  return end === none ? 0.5 : (event - send + 0.5) / (end - send);
}

/** The same spans, with ends that were not known when they began. */
function withEnds(spans: Spans, ends: Map<number, number>): Spans {
  if (ends.size === 0) return spans;
  const to = spans.to.slice();
  for (const [span, end] of ends) to[span] = end;
  return new Spans(spans.from, to);
}

/** Collects the spans of a film, event by event. */
class Scan {
  readonly visits = new SpanList();
  readonly waits = new SpanList();
  readonly waitEnds = new Map<number, number>();
  readonly away = new SpanList();
  readonly awayEnds = new Map<number, number>();
  readonly awayWhy: number[] = [];
  readonly entries: number[] = [];
  readonly kindCounts: Uint32Array;
  private readonly messages = new SpanList();
  /** For each copy of a message: the send, and the event at which the copy arrived. */
  private readonly copies: [number, number][] = [];
  /** By node, its last wait that has no end yet. */
  private readonly waiting = new Map<number, number>();
  /** The open span, by node and reason. */
  private readonly absent = new Map<number, number>();
  private readonly paused = new Set<number>();
  /** The words for what happens to a node without its doing anything. */
  private readonly suffered: Set<number>;
  private readonly actions: ((event: number) => void)[];

  constructor(private readonly film: Film) {
    this.kindCounts = new Uint32Array(film.header.kinds.length);
    const suffered = ["lose", "duplicate", "crash", "pause", "suspect", "partition", "heal"];
    this.suffered = new Set(suffered.map((word) => film.code(word)));
    this.actions = film.header.words.map((word) => this.action(word));
  }

  see(event: number): void {
    if (this.paused.size > 0) this.wake(event);
    this.actions[this.film.word[event]]?.(event);
  }

  /** A node that acts is no longer paused; simulated runs do not record when a pause ends. */
  private wake(event: number): void {
    const node = this.film.node[event];
    if (!this.paused.has(node) || this.suffered.has(this.film.word[event])) return;
    this.paused.delete(node);
    this.comeBack(event, Away.paused);
  }

  messageSpans(): Spans {
    const plain = this.messages.spans();
    if (this.copies.length === 0) return plain;
    const pairs: [number, number][] = this.copies.slice();
    for (let i = 0; i < plain.count; ++i) pairs.push([plain.from[i], plain.to[i]]);
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const list = new SpanList();
    for (const [from, to] of pairs) list.add(from, to);
    return list.spans();
  }

  private action(word: string): (event: number) => void {
    const { film } = this;
    const later = (event: number) => (film.mate[event] > event ? film.mate[event] : none);
    switch (word) {
      case "request":
        return (event) => {
          if (film.mate[event] === none) this.waiting.set(film.node[event], this.waits.count);
          this.waits.add(event, later(event));
        };
      case "enter":
        return (event) => {
          this.visits.add(event, later(event));
          this.entries.push(event);
        };
      case "elected":
        return (event) => this.entries.push(event);
      case "send":
      case "tell":
        return (event) => {
          if (film.peer[event] >= film.nodes) return;
          this.messages.add(event, later(event));
          if (film.kind[event] < this.kindCounts.length) ++this.kindCounts[film.kind[event]];
        };
      case "receive":
      case "told":
      case "lose":
        return (event) => {
          const send = film.mate[event];
          if (send < event && film.mate[send] !== event) this.copies.push([send, event]);
        };
      case "crash":
        return (event) => {
          this.endWait(event);
          this.leave(event, Away.crashed);
        };
      case "restart":
        return (event) => this.comeBack(event, Away.crashed);
      case "pause":
        return (event) => {
          this.paused.add(film.node[event]);
          this.leave(event, Away.paused);
        };
      case "resume":
        return (event) => this.comeBack(event, Away.paused);
      case "partition":
        return (event) => this.leave(event, Away.cutOff);
      case "heal":
        return (event) => this.comeBack(event, Away.cutOff);
      case "left":
        return (event) => this.leave(event, Away.gone);
      case "join":
      case "joined":
        return (event) => {
          this.comeBack(event, Away.gone);
          this.comeBack(event, Away.crashed);
        };
      default:
        return () => {};
    }
  }

  private endWait(event: number): void {
    const wait = this.waiting.get(this.film.node[event]);
    if (wait !== undefined) this.waitEnds.set(wait, event);
    this.waiting.delete(this.film.node[event]);
  }

  private leave(event: number, why: Away): void {
    const key = this.film.node[event] * 4 + why;
    if (this.absent.has(key)) return;
    this.absent.set(key, this.away.count);
    this.away.add(event, none);
    this.awayWhy.push(why);
  }

  private comeBack(event: number, why: Away): void {
    const key = this.film.node[event] * 4 + why;
    const span = this.absent.get(key);
    if (span !== undefined) this.awayEnds.set(span, event);
    this.absent.delete(key);
  }
}
