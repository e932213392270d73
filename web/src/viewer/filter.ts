// What of a film is shown: some nodes, some types of messages, one lock.
import { noKind, none, type Film } from "../film/film";

export interface Filter {
  /** A part of the nodes' names, or several whole names or ranges, separated by commas. */
  nodes: string;
  /** Kinds that are hidden. */
  hidden: Set<number>;
  /** Shows only events of this lock, and those of no lock. */
  lock: number | null;
}

export function everything(): Filter {
  return { nodes: "", hidden: new Set(), lock: null };
}

export function isEverything(filter: Filter): boolean {
  return filter.nodes.trim() === "" && filter.hidden.size === 0 && filter.lock === null;
}

/** A filter made ready for a film. */
export class Sieve {
  /** The nodes that are shown, in the order of their rows. */
  readonly rows: Uint32Array;
  /** The row of a node, or -1. */
  readonly rowOf: Int32Array;
  readonly all: boolean;

  constructor(
    private readonly film: Film,
    private readonly filter: Filter,
  ) {
    const shown = film.header.nodes.map((node) => matches(filter.nodes, node.name));
    const order = [...shown.keys()].filter((node) => shown[node]);
    const home = (node: number) => film.header.nodes[node];
    const apart = (a: number, b: number) =>
      (home(a).site ?? 0) - (home(b).site ?? 0) ||
      (home(a).cluster ?? 0) - (home(b).cluster ?? 0) ||
      a - b;
    this.rows = Uint32Array.from(order.sort(apart));
    this.rowOf = new Int32Array(film.nodes).fill(-1);
    this.rows.forEach((node, row) => (this.rowOf[node] = row));
    this.all = isEverything(filter);
  }

  /** Whether an event is shown. */
  passes(event: number): boolean {
    const { film, filter } = this;
    if (this.all) return true;
    if (this.rowOf[film.node[event]] === -1 || film.node[event] >= film.nodes) return false;
    const kind = film.kind[event];
    if (kind !== noKind && filter.hidden.has(kind)) return false;
    const lock = film.lock[event];
    return filter.lock === null || lock === none || lock === filter.lock;
  }
}

function matches(wanted: string, name: string): boolean {
  const text = wanted.trim().toLowerCase();
  if (text === "") return true;
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length > 1 || /^\d+$/.test(text))
    return parts.includes(name.toLowerCase()) || parts.some((part) => inRange(part, name));
  return inRange(text, name) || name.toLowerCase().includes(text);
}

/** `3-7` are the nodes 3 to 7. */
function inRange(part: string, name: string): boolean {
  const range = /^(\d+)-(\d+)$/.exec(part);
  return (
    range !== null &&
    /^\d+$/.test(name) &&
    Number(name) >= Number(range[1]) &&
    Number(name) <= Number(range[2])
  );
}
