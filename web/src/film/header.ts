// The header of a film: which run it shows, and where its columns are.

export interface FilmNode {
  name: string;
  cluster?: number;
  site?: number;
  /** Its position on a DHT's ring: 64 bits in hexadecimal digits. */
  ring?: string;
  /** The index of the text of its state before the first event. */
  state?: number;
}

export interface Violation {
  event: number;
  property: string;
  what: string;
  nodes: number[];
}

export interface Caption {
  event: number;
  text: string;
}

export interface Header {
  title: string;
  command: string;
  algorithm: string;
  /** How the structure is drawn. */
  family: string;
  unit: "ns" | "step";
  nodes: FilmNode[];
  locks: string[];
  words: string[];
  kinds: string[];
  violations: Violation[];
  captions: Caption[];
  events: number;
}

interface Column {
  name: string;
  type: string;
  offset: number;
  length: number;
}

const magic = "conchfil";
const version = 1;

/** `columns(name, type, size)` says where a column begins, in bytes of the film, and its length. */
export function parseHeader(bytes: ArrayBuffer): {
  header: Header;
  columns: (name: string, type: string, size: number) => [number, number];
} {
  if (bytes.byteLength < 16) throw new Error("this file is too short to be a film");
  const begin = new Uint8Array(bytes, 0, 8);
  if (new TextDecoder().decode(begin) !== magic) throw new Error("this is not a film");
  const view = new DataView(bytes);
  const found = view.getUint32(8, true);
  if (found !== version) throw new Error(`a film of version ${found}; this page reads ${version}`);
  const size = view.getUint32(12, true);
  if (16 + size > bytes.byteLength) throw new Error("the film ends within its header");
  const raw = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 16, size)));
  const table = new Map<string, Column>();
  for (const column of (raw.columns ?? []) as Column[]) table.set(column.name, column);
  return {
    header: completed(raw),
    columns: (name, type, width) => {
      const column = table.get(name);
      if (column === undefined || column.type !== type)
        throw new Error(`the film has no column ${name} of ${type}`);
      const from = 16 + size + column.offset;
      if (from % width !== 0 || from + column.length * width > bytes.byteLength)
        throw new Error(`the film ends within its column ${name}`);
      return [from, column.length];
    },
  };
}

/** Adds what a film may leave out. */
function completed(raw: Partial<Header>): Header {
  return {
    title: raw.title ?? "",
    command: raw.command ?? "",
    algorithm: raw.algorithm ?? "",
    family: raw.family ?? "",
    unit: raw.unit ?? "ns",
    nodes: raw.nodes ?? [],
    locks: raw.locks ?? [],
    words: raw.words ?? [],
    kinds: raw.kinds ?? [],
    violations: raw.violations ?? [],
    captions: raw.captions ?? [],
    events: raw.events ?? 0,
  };
}
