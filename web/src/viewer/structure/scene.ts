// What a structure panel shows at one moment, before it is drawn: nodes with places, the links that
// the algorithm keeps between them, and messages on their way. Each family of algorithms makes one
// of its own (families.ts).
import type { Film } from "../../film/film";
import { Away, type Flight, type Run } from "../../film/run";
import { fields, type Fields } from "../../film/state";

export interface Place {
  x: number;
  y: number;
}

export interface SceneNode extends Place {
  id: number;
  /** It has the token, or is the coordinator. */
  token?: boolean;
  /** It takes part in an election, or has cast its vote. */
  marked?: boolean;
  /** What stands below it: its queue. */
  note?: string;
  /** What a screen reader says of it in addition. */
  says?: string[];
}

/**
 * Solid: where a request goes. Dashed: the next in line. Edge: the next on a ring. Faint: nodes
 * that belong together.
 */
export type LinkStyle = "solid" | "dashed" | "edge" | "faint" | "vote";

export interface SceneLink {
  from: number;
  to: number;
  style: LinkStyle;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
}

export interface Scene {
  nodes: SceneNode[];
  links: SceneLink[];
  boxes: Box[];
  /** The circle on which the nodes stand. */
  ring?: Place & { radius: number };
  /** What the styles of the links mean. */
  legend: [LinkStyle, string][];
  /** What the token mark means, if not the token. */
  tokenWord?: string;
  markWord?: string;
  /** What the notes below nodes are, unless they say so themselves. */
  noteWord?: string;
}

/** A film at one event, with what the families ask of it. */
export class Moment {
  readonly inside: Map<number, number>;
  readonly waiting: Set<number>;
  readonly flights: Flight[];
  private readonly known = new Map<number, Fields>();

  constructor(
    readonly film: Film,
    readonly run: Run,
    /** The moment is right after this event. */
    readonly event: number,
  ) {
    this.inside = new Map(run.insideAt(event).map((enter) => [film.node[enter], enter]));
    this.waiting = new Set(run.waitingAt(event).map((request) => film.node[request]));
    this.flights = film.count > 0 ? run.flightsAt(event) : [];
  }

  /** The fields of a node's state. */
  fields(node: number): Fields {
    let found = this.known.get(node);
    if (!found) {
      found = fields(this.film.stateAt(node, this.event));
      this.known.set(node, found);
    }
    return found;
  }

  /** The node that a field names. */
  pointer(node: number, field: string): number | undefined {
    return this.node(this.fields(node).get(field));
  }

  /** The node with this name. */
  node(name: string | undefined): number | undefined {
    return name === undefined ? undefined : this.film.named(name);
  }

  away(node: number): Away | undefined {
    return this.run.awayAt(node, this.event);
  }
}

export interface Size {
  width: number;
  height: number;
}

/** The most nodes that are drawn at once. */
export const most = 60;

/** The nodes to draw: all, or those around the node that acts now. */
export function cast(moment: Moment): number[] {
  const { film, event } = moment;
  if (film.nodes <= most) return Array.from({ length: film.nodes }, (_, node) => node);
  const chosen = new Set<number>();
  const add = (node: number | undefined) => {
    if (node !== undefined && node < film.nodes && chosen.size < 16) chosen.add(node);
  };
  if (event >= 0 && event < film.count) {
    add(film.node[event]);
    add(film.peer[event]);
  }
  for (const node of moment.inside.keys()) add(node);
  // The nodes that these point at, and so on: the path to the root, the queue from the holder.
  for (const node of chosen) for (const name of pointers) add(moment.pointer(node, name));
  for (const flight of moment.flights.slice(-8)) {
    add(flight.from);
    add(flight.to);
  }
  for (const node of [...moment.waiting].slice(0, 8)) add(node);
  return [...chosen].sort((a, b) => a - b);
}

const pointers = ["owner", "next", "holder", "parent", "successor", "neighbour"];
