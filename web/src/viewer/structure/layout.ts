// Where nodes stand: on a circle, in a tree, in clusters.
import { hierarchy, tree } from "d3";
import type { Film } from "../../film/film";
import type { Box, Place, Size } from "./scene";

/** Room for a node's circle and what stands below it. */
const margin = 40;

export type Places = Map<number, Place>;

/** Places on a circle, clockwise from the top. */
export function circle(
  ids: number[],
  size: Size,
): { places: Places; ring: Place & { radius: number } } {
  const angles = ids.map((_, i) => (i / ids.length) * 2 * Math.PI);
  return around(ids, angles, size);
}

export function around(ids: number[], angles: number[], { width, height }: Size) {
  const ring = {
    x: width / 2,
    y: height / 2 - 4,
    radius: Math.max(40, Math.min(width, height) / 2 - margin),
  };
  const places: Places = new Map();
  ids.forEach((id, i) =>
    places.set(id, {
      x: ring.x + ring.radius * Math.sin(angles[i]),
      y: ring.y - ring.radius * Math.cos(angles[i]),
    }),
  );
  return { places, ring };
}

/** Places of a forest, its roots on top. Of a cycle of parents, one is a root. */
export function forest(
  ids: number[],
  parent: (id: number) => number | undefined,
  size: Size,
): Places {
  interface Item {
    id: number;
    children: Item[];
  }
  const items = new Map<number, Item>(ids.map((id) => [id, { id, children: [] }]));
  const top: Item = { id: -1, children: [] };
  const rooted = new Set<number>();
  for (const id of ids) {
    const above = parent(id);
    const item = items.get(above ?? -1);
    if (above === undefined || above === id || !item || !reaches(id)) rooted.add(id);
  }
  for (const id of ids)
    (rooted.has(id) ? top : items.get(parent(id)!)!).children.push(items.get(id)!);

  /** Whether the path up from here ends, at a known root or outside. */
  function reaches(id: number): boolean {
    const seen = new Set<number>([id]);
    for (
      let at = parent(id);
      at !== undefined && items.has(at) && !rooted.has(at);
      at = parent(at)
    ) {
      if (at === parent(at)) return true;
      if (seen.has(at)) return false;
      seen.add(at);
    }
    return true;
  }

  const laid = tree<Item>()
    .size([size.width - 2 * margin, 1])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(hierarchy(top));
  const deep = Math.max(2, laid.height);
  const step = Math.min(92, (size.height - 2 * margin) / Math.max(1, deep - 1));
  const used = step * Math.max(0, laid.height - 1);
  const from = Math.max(margin, (size.height - used) / 2 - step * 0.35);
  const places: Places = new Map();
  for (const node of laid.descendants())
    if (node.data.id >= 0) {
      const only = node.parent!.children!.length === 1 && node.depth > 1;
      // A chain leans, so that links over two of its steps are seen beside it.
      const lean = only ? (node.depth % 2 ? 1 : -1) * Math.min(26, size.width / 14) : 0;
      places.set(node.data.id, { x: margin + node.x + lean, y: from + (node.depth - 1) * step });
    }
  return places;
}

/** Each cluster in a box, its nodes on a circle within. */
export function clusters(ids: number[], film: Film, size: Size): { places: Places; boxes: Box[] } {
  const members = new Map<number, number[]>();
  for (const id of ids) {
    const cluster = film.header.nodes[id].cluster ?? 0;
    members.set(cluster, [...(members.get(cluster) ?? []), id]);
  }
  const many = members.size;
  const columns = Math.max(1, Math.round(Math.sqrt((many * size.width) / size.height)));
  const rows = Math.ceil(many / columns);
  const gap = 12;
  const width = (size.width - gap * (columns + 1)) / columns;
  const height = (size.height - gap * (rows + 1)) / rows;
  const places: Places = new Map();
  const boxes: Box[] = [];
  [...members].forEach(([cluster, inside], i) => {
    const row = Math.floor(i / columns);
    const beside = Math.min(columns, many - row * columns);
    const x = (size.width - beside * (width + gap) + gap) / 2 + (i % columns) * (width + gap);
    const y = gap + row * (height + gap);
    boxes.push({ x, y, width, height, label: `cluster ${cluster}` });
    const radius =
      inside.length === 1 ? 0 : Math.max(16, Math.min(width / 2 - 26, height / 2 - 34));
    inside.forEach((id, k) => {
      const angle = (k / inside.length) * 2 * Math.PI;
      places.set(id, {
        x: x + width / 2 + radius * Math.sin(angle),
        y: y + height / 2 + (inside.length === 3 ? radius / 4 : 0) + 2 - radius * Math.cos(angle),
      });
    });
  });
  return { places, boxes };
}

/** One in the middle, the others around it. */
export function star(ids: number[], middle: number | undefined, size: Size): Places {
  const outer = ids.filter((id) => id !== middle);
  const { places, ring } = circle(outer, size);
  if (middle !== undefined && ids.includes(middle)) places.set(middle, { x: ring.x, y: ring.y });
  return places;
}
