// A run in columns, as conch writes it (src/film) and the pages read it. The columns are views of
// the bytes, and a text is decoded when it is first needed, so that a million events open at once.
import { group, lastUpTo, type Grouped } from "./group";
import { parseHeader, type Header } from "./header";

/** No node, event or text. */
export const none = 0xffffffff;
/** No message type. */
export const noKind = 0xffff;

export class Film {
  readonly header: Header;
  /** The number of events. */
  readonly count: number;
  readonly at: Float64Array;
  readonly word: Uint8Array;
  readonly node: Uint32Array;
  readonly peer: Uint32Array;
  readonly mate: Uint32Array;
  readonly kind: Uint16Array;
  readonly lock: Uint32Array;
  readonly detail: Uint32Array;
  readonly state: Uint32Array;

  private readonly textAt: Uint32Array;
  private readonly textBytes: Uint8Array;
  private readonly decoder = new TextDecoder();
  private readonly texts = new Map<number, string>();
  private readonly codes = new Map<string, number>();
  private readonly names = new Map<string, number>();
  private events: Grouped | null = null;
  private states: Grouped | null = null;

  /** Throws an error that says why the bytes are not a film. */
  constructor(bytes: ArrayBuffer) {
    const { header, columns } = parseHeader(bytes);
    this.header = header;
    this.count = header.events;
    const f64 = (name: string) => new Float64Array(bytes, ...columns(name, "f64", 8));
    const u32 = (name: string) => new Uint32Array(bytes, ...columns(name, "u32", 4));
    const u16 = (name: string) => new Uint16Array(bytes, ...columns(name, "u16", 2));
    const u8 = (name: string) => new Uint8Array(bytes, ...columns(name, "u8", 1));
    this.at = f64("at");
    this.word = u8("word");
    this.node = u32("node");
    this.peer = u32("peer");
    this.mate = u32("mate");
    this.kind = u16("kind");
    this.lock = u32("lock");
    this.detail = u32("detail");
    this.state = u32("state");
    this.textAt = u32("text_at");
    this.textBytes = u8("text");
    const all = [this.at, this.word, this.node, this.peer, this.mate, this.kind, this.lock];
    for (const column of [...all, this.detail, this.state])
      if (column.length !== this.count) throw new Error("a column is not as long as the run");
    header.words.forEach((word, code) => this.codes.set(word, code));
    header.nodes.forEach((node, index) => this.names.set(node.name, index));
    header.nodes.forEach(({ ring }, index) => {
      // Protocols over a DHT call each other by their positions.
      if (ring && /^[0-9a-f]+$/.test(ring)) this.names.set(BigInt(`0x${ring}`).toString(), index);
    });
  }

  get nodes(): number {
    return this.header.nodes.length;
  }

  /** The code of a word in the column `word`. If the film does not know it, a code of no event. */
  code(word: string): number {
    return this.codes.get(word) ?? 0xff;
  }

  wordOf(event: number): string {
    return this.header.words[this.word[event]] ?? "";
  }

  kindOf(event: number): string {
    return this.header.kinds[this.kind[event]] ?? "";
  }

  lockOf(event: number): string {
    return this.header.locks[this.lock[event]] ?? "";
  }

  name(node: number): string {
    return this.header.nodes[node]?.name ?? "?";
  }

  /** The node of this name, as states and details spell it. */
  named(name: string): number | undefined {
    return this.names.get(name);
  }

  detailOf(event: number): string {
    return this.text(this.detail[event]);
  }

  text(index: number): string {
    if (index >= this.textAt.length - 1) return "";
    let text = this.texts.get(index);
    if (text === undefined) {
      text = this.decoder.decode(
        this.textBytes.subarray(this.textAt[index], this.textAt[index + 1]),
      );
      if (this.texts.size > 20000) this.texts.clear();
      this.texts.set(index, text);
    }
    return text;
  }

  /** Whether the film has any states of nodes. */
  get hasStates(): boolean {
    return this.statesOf().items.length > 0 || this.header.nodes.some((node) => node.state);
  }

  /** The state of a node after an event of any node; with -1, before all events. */
  stateAt(node: number, event: number): string | null {
    const { starts, items } = this.statesOf();
    const last = lastUpTo(items, event, starts[node], starts[node + 1]);
    if (last >= 0) return this.text(this.state[items[last]]);
    const initial = this.header.nodes[node].state;
    return initial === undefined ? null : this.text(initial);
  }

  /** The first state that is known of a node. */
  firstState(node: number): string | null {
    const { starts, items } = this.statesOf();
    const first = starts[node] < starts[node + 1] ? items[starts[node]] : -1;
    return this.stateAt(node, -1) ?? (first < 0 ? null : this.text(this.state[first]));
  }

  /** The state of a node before an event. */
  stateBefore(node: number, event: number): string | null {
    return this.stateAt(node, event - 1);
  }

  /** The events of a node, in order. */
  eventsOf(node: number): Uint32Array {
    this.events ??= group(this.node, this.nodes, () => true);
    return this.events.items.subarray(this.events.starts[node], this.events.starts[node + 1]);
  }

  private statesOf(): Grouped {
    this.states ??= group(this.node, this.nodes, (event) => this.state[event] !== none);
    return this.states;
  }
}
