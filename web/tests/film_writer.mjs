// Writes films without conch, to test their readers, and to make films of any size.

const none = 0xffffffff;
const noKind = 0xffff;
export const words = (
  "request enter exit cancel withdrawn send receive lose duplicate tell told join joined leave " +
  "left crash restart pause resume suspect partition heal elect elected retire lost epoch gap"
).split(" ");

const makers = { f64: Float64Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };
const types = {
  at: "f64",
  word: "u8",
  node: "u32",
  peer: "u32",
  mate: "u32",
  kind: "u16",
  lock: "u32",
  detail: "u32",
  state: "u32",
};

export class FilmWriter {
  /** A film of at most `capacity` events. */
  constructor(capacity, header = {}) {
    this.header = {
      title: "",
      command: "",
      algorithm: "",
      family: "peers",
      unit: "ns",
      nodes: [],
      locks: [],
      words,
      kinds: [],
      violations: [],
      captions: [],
      ...header,
    };
    this.columns = {};
    for (const [name, type] of Object.entries(types))
      this.columns[name] = new makers[type](capacity);
    this.count = 0;
    this.texts = new Map();
  }

  /** Returns the event's number. If `mate` is given, the two become mates. */
  add({ at, word, node, peer, mate, kind, lock, detail, state }) {
    const event = this.count++;
    const columns = this.columns;
    columns.at[event] = at;
    columns.word[event] = words.indexOf(word);
    columns.node[event] = node;
    columns.peer[event] = peer ?? none;
    columns.mate[event] = mate ?? none;
    if (mate !== undefined && columns.mate[mate] === none) columns.mate[mate] = event;
    columns.kind[event] = kind === undefined ? noKind : this.kind(kind);
    columns.lock[event] = lock ?? none;
    columns.detail[event] = this.text(detail);
    columns.state[event] = this.text(state);
    return event;
  }

  kind(name) {
    const known = this.header.kinds.indexOf(name);
    return known >= 0 ? known : this.header.kinds.push(name) - 1;
  }

  text(text) {
    if (text === undefined) return none;
    if (!this.texts.has(text)) this.texts.set(text, this.texts.size);
    return this.texts.get(text);
  }

  bytes() {
    const encoder = new TextEncoder();
    const texts = [...this.texts.keys()].map((text) => encoder.encode(text));
    const textAt = new Uint32Array(texts.length + 1);
    texts.forEach((text, i) => (textAt[i + 1] = textAt[i] + text.length));
    const all = Object.entries(types).map(([name, type]) => [
      name,
      type,
      this.columns[name].subarray(0, this.count),
    ]);
    all.push(["text_at", "u32", textAt], ["text", "u8", new Uint8Array(Buffer.concat(texts))]);
    let offset = 0;
    const columns = all.map(([name, type, values]) => {
      const column = { name, type, offset, length: values.length };
      offset += Math.ceil(values.byteLength / 8) * 8;
      return column;
    });
    let header = JSON.stringify({ ...this.header, events: this.count, columns });
    const size = Math.ceil(Buffer.byteLength(header) / 8) * 8;
    header += " ".repeat(size - Buffer.byteLength(header));
    const out = Buffer.alloc(16 + size + offset);
    out.write("conchfil", 0, "latin1");
    out.writeUInt32LE(1, 8);
    out.writeUInt32LE(size, 12);
    out.write(header, 16, "utf8");
    all.forEach(([, , values], i) => {
      Buffer.from(values.buffer, values.byteOffset, values.byteLength).copy(
        out,
        16 + size + columns[i].offset,
      );
    });
    return out;
  }
}

/** A token that goes from node to node, in `events` events or a few less. */
export function longFilm(events, nodes) {
  const writer = new FilmWriter(events + 8, {
    title: `${events} events of ${nodes} nodes`,
    algorithm: "naimi-trehel",
    family: "tree",
    locks: ["all"],
    nodes: Array.from({ length: nodes }, (_, n) => ({
      name: String(n),
      cluster: Math.floor((n * 8) / nodes),
      site: 0,
    })),
  });
  let seed = 7;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
  let at = 0;
  let holder = 0;
  const state = (owner, next, token) => `owner ${owner}, next ${next}, token ${token}`;
  for (let n = 0; n < nodes && writer.count < events; ++n)
    writer.add({
      at,
      word: "joined",
      node: n,
      state: state(n === 0 ? "-" : 0, "-", n === 0 ? "yes" : "no"),
    });
  while (writer.count + 8 <= events) {
    const asker = (holder + 1 + Math.floor(random() * (nodes - 1))) % nodes;
    const step = () => (at += 1000 + Math.floor(random() * 5e5));
    const request = writer.add({ at: step(), word: "request", node: asker, lock: 0 });
    const asked = writer.add({
      at,
      word: "send",
      node: asker,
      peer: holder,
      kind: "REQUEST",
      lock: 0,
      detail: `REQUEST(origin ${asker})`,
      state: state("-", "-", "no"),
    });
    writer.add({
      at: step(),
      word: "receive",
      node: holder,
      peer: asker,
      kind: "REQUEST",
      lock: 0,
      mate: asked,
      detail: `REQUEST(origin ${asker})`,
      state: state(asker, asker, "yes"),
    });
    const given = writer.add({
      at: step(),
      word: "send",
      node: holder,
      peer: asker,
      kind: "TOKEN",
      lock: 0,
      detail: "TOKEN",
      state: state(asker, "-", "no"),
    });
    writer.add({
      at: step(),
      word: "receive",
      node: asker,
      peer: holder,
      kind: "TOKEN",
      lock: 0,
      mate: given,
      detail: "TOKEN",
    });
    const enter = writer.add({
      at,
      word: "enter",
      node: asker,
      lock: 0,
      mate: request,
      state: state("-", "-", "yes"),
    });
    writer.columns.mate[enter] = none;
    writer.add({ at: step(), word: "exit", node: asker, lock: 0, mate: enter });
    holder = asker;
  }
  return writer.bytes();
}
