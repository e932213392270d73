// Where the types of messages stand in a structure: beside their arrows, and not on one another, on
// nodes or on other messages.
import type { Flight } from "../../film/run";
import { along } from "./curves";
import type { Place, Scene, Size } from "./scene";

/** With more messages than this, none has a label. */
const most = 6;
/** The width of a letter, and the height of a line. */
const letter = 7.6;
const height = 13;

/** A rectangle around its middle. */
interface Area extends Place {
  width: number;
  height: number;
  /** How bad it is to cover it. */
  weight: number;
}

/** What is drawn besides: its arrows bend by `bend`, its nodes have this radius. */
export interface Drawn {
  scene: Scene;
  radius: number;
  size: Size;
  bend: (flight: Flight) => number;
  text: (flight: Flight) => string;
}

/** The middle of each label's baseline, by message. */
export function labelPlaces(flights: Flight[], drawn: Drawn): Map<Flight, Place> {
  const places = new Map<Flight, Place>();
  if (flights.length > most) return places;
  const at = new Map(drawn.scene.nodes.map((node) => [node.id, node]));
  const covered = obstacles(flights, at, drawn);
  for (const flight of flights) {
    const width = drawn.text(flight).length * letter + 4;
    let best: Area | null = null;
    let least = Infinity;
    for (const place of candidates(flight, at, drawn)) {
      const area = within({ ...place, width, height, weight: 3 }, drawn.size);
      const cost = covered.reduce((sum, other) => sum + other.weight * overlap(area, other), 0);
      if (cost < least) [best, least] = [area, cost];
      if (least === 0) break;
    }
    covered.push(best!);
    places.set(flight, { x: best!.x, y: best!.y + 4 });
  }
  return places;
}

/** The nearest first: beside the middle of the arrow, then elsewhere along it, then off it. */
function candidates(flight: Flight, at: Map<number, Place>, { bend, radius }: Drawn): Place[] {
  const [from, to] = [at.get(flight.from)!, at.get(flight.to)!];
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  // Farther out where there is little room between the nodes.
  const lift = Math.max(1.3, 44 / (far * 0.14 + 0.1));
  const found: Place[] = [];
  for (const off of [0, height, -height, 2 * height, -2 * height, 3 * height, -3 * height])
    for (const share of [0.42, 0.54, 0.32, 0.66])
      for (const side of [lift, lift * 1.8, 0.7]) {
        const { x, y } = along(from, to, bend(flight) * side, radius, share);
        found.push({ x, y: y + off });
      }
  return found;
}

function obstacles(flights: Flight[], at: Map<number, Place>, drawn: Drawn): Area[] {
  const { scene, radius, bend } = drawn;
  const nodes = scene.nodes.flatMap((node): Area[] => {
    const disc = { x: node.x, y: node.y, width: 2 * radius, height: 2 * radius, weight: 2 };
    if (!node.note) return [disc];
    const width = node.note.length * letter;
    return [disc, { x: node.x, y: node.y + radius + 11, width, height, weight: 2 }];
  });
  const dots = flights.map((flight): Area => {
    const [from, to] = [at.get(flight.from)!, at.get(flight.to)!];
    const spot = along(from, to, bend(flight), radius, flight.progress);
    return { ...spot, width: 12, height: 12, weight: 3 };
  });
  const names = scene.boxes.map(({ x, y, label }): Area => {
    const width = label.length * letter;
    return { x: x + 10 + width / 2, y: y + 14, width, height, weight: 1 };
  });
  return [...nodes, ...dots, ...names];
}

function within(area: Area, size: Size): Area {
  const clamp = (value: number, room: number, most: number) =>
    Math.max(room / 2 + 2, Math.min(most - room / 2 - 2, value));
  return {
    ...area,
    x: clamp(area.x, area.width, size.width),
    y: clamp(area.y, area.height, size.height),
  };
}

function overlap(one: Area, other: Area): number {
  const wide = (one.width + other.width) / 2 - Math.abs(one.x - other.x);
  const high = (one.height + other.height) / 2 - Math.abs(one.y - other.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}
