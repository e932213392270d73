// Where the members stand on the map: a box for each cluster, and its members around the middle.
import type { Member } from "./talk";

export interface Spot {
  x: number;
  y: number;
}
export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  members: Member[];
}
export interface Layout {
  boxes: Box[];
  spots: Map<string, Spot>;
  /** The radius of a member's circle. */
  radius: number;
  /** The members that have no room for a text below them. */
  crowded: Set<string>;
}

/** The shortest prefixes of the labels that differ: SITE of SITE/RACK/HOST, or more of it. */
function clusterNames(members: Member[]): Map<string, string> {
  const labels = members.map((member) => member.cluster.split("/"));
  const deepest = Math.max(1, ...labels.map((label) => label.length));
  let depth = 1;
  const names = (parts: number) => labels.map((label) => label.slice(0, parts).join("/"));
  while (depth < deepest && new Set(names(depth)).size < 2) ++depth;
  const chosen = names(new Set(names(depth)).size < 2 ? deepest : depth);
  return new Map(members.map((member, i) => [member.id, chosen[i]]));
}

/** Members by cluster, sorted; all in one if a label is unknown, as those of neighbours are. */
export function groupByCluster(members: Member[]): Map<string, Member[]> {
  if (members.some((member) => member.cluster === "")) return new Map([["", members]]);
  const names = clusterNames(members);
  const clusters = new Map<string, Member[]>();
  for (const member of members) {
    const name = names.get(member.id)!;
    clusters.set(name, [...(clusters.get(name) ?? []), member]);
  }
  return new Map([...clusters].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const gap = 14;
const title = 22;

export function layOut(members: Member[], width: number, height: number): Layout {
  const clusters = [...groupByCluster(members)];
  const columns = bestColumns(clusters.length, width, height);
  const rows = Math.ceil(clusters.length / columns);
  const boxes: Box[] = [];
  clusters.forEach(([name, own], i) => {
    const row = Math.floor(i / columns);
    const inRow = Math.min(columns, clusters.length - row * columns);
    const boxWidth = (width - gap * (inRow - 1)) / inRow;
    const boxHeight = (height - gap * (rows - 1)) / rows;
    const x = (i - row * columns) * (boxWidth + gap);
    const y = row * (boxHeight + gap);
    boxes.push({ name, x, y, width: boxWidth, height: boxHeight, members: own });
  });
  const fits = boxes.map(fit);
  const radius = Math.max(4, Math.min(24, ...fits.map((each) => each.radius)));
  const spots = new Map<string, Spot>();
  const crowded = new Set<string>();
  boxes.forEach((box, i) => {
    const { ring, roomy } = fits[i];
    const places = ring ? ringIn(box, radius) : rowsIn(box);
    box.members.forEach(({ id }, k) => {
      spots.set(id, places[k]);
      if (!roomy) crowded.add(id);
    });
  });
  return { boxes, spots, radius, crowded };
}

/** The number of columns for which boxes are about as wide as they are high, or wider. */
function bestColumns(count: number, width: number, height: number): number {
  let best = 1;
  let least = Infinity;
  for (let columns = 1; columns <= count; ++columns) {
    const rows = Math.ceil(count / columns);
    const shape = Math.log(width / columns / (height / rows) / 1.2);
    if (Math.abs(shape) < least) [best, least] = [columns, Math.abs(shape)];
  }
  return best;
}

const inner = (box: Box) => ({ width: box.width - 16, height: box.height - title - 26 });

/** From this radius on, a member's circle contains its id. */
export const readable = 13;
/** The height of the line below a member and of the tokens above it, and the width of the line. */
const label = { height: 34, width: 68 };

/** How the members of a box stand. */
interface Fit {
  radius: number;
  ring: boolean;
  /** Whether there is room for a line of text below each. */
  roomy: boolean;
}

/** Chooses a ring for few members, rows for many; crowded ones have no text below them. */
function fit(box: Box): Fit {
  const { width, height } = inner(box);
  const count = box.members.length;
  const radius = Math.min(width / 5, height / 5, ringRoom(width, height, count));
  if (count <= 10 && isClear(ringIn(box, radius), radius))
    return { radius, ring: true, roomy: true };
  const { columns, rows } = grid(box);
  const [wide, high] = [width / columns, height / rows];
  const most = Math.min(wide / 2 - 14, (high - label.height) / 2);
  if (most >= readable && wide >= label.width - 8)
    return { radius: most, ring: false, roomy: true };
  return { radius: 0.36 * Math.min(wide, high), ring: false, roomy: false };
}

const ringRoom = (width: number, height: number, count: number) =>
  count < 2 ? 24 : ((Math.PI * (width + height)) / 2 / count) * 0.32;

/** Whether no two members touch, with the text below them. */
function isClear(spots: Spot[], radius: number): boolean {
  const wide = Math.max(2 * radius + 14, label.width);
  const high = 2 * radius + label.height - 8;
  const apart = (one: Spot, other: Spot) =>
    Math.abs(one.x - other.x) >= wide || Math.abs(one.y - other.y) >= high;
  return spots.every((one, i) => spots.slice(0, i).every((other) => apart(one, other)));
}

function middleOf(box: Box): Spot {
  return { x: box.x + box.width / 2, y: box.y + title + 4 + inner(box).height / 2 };
}

function ringIn(box: Box, radius: number): Spot[] {
  const { width, height } = inner(box);
  const { x, y } = middleOf(box);
  const count = box.members.length;
  const a = Math.min(width / 2 - radius * 1.4, height * 0.9);
  const b = height / 2 - radius;
  const off = count === 1 ? 0 : 1;
  return box.members.map((_, i) => {
    const angle = ((i + (count === 2 ? 0.5 : 0)) / count) * 2 * Math.PI - Math.PI / 2;
    return { x: x + off * a * Math.cos(angle), y: y + off * b * Math.sin(angle) };
  });
}

function grid(box: Box): { columns: number; rows: number } {
  const { width, height } = inner(box);
  const count = box.members.length;
  const columns = Math.min(count, Math.ceil(Math.sqrt((count * width) / height)));
  return { columns, rows: Math.ceil(count / columns) };
}

function rowsIn(box: Box): Spot[] {
  const { width, height } = inner(box);
  const { columns, rows } = grid(box);
  const top = middleOf(box).y - height / 2;
  return box.members.map((_, i) => ({
    x: box.x + 8 + (((i % columns) + 0.5) * width) / columns,
    y: top + ((Math.floor(i / columns) + 0.5) * height) / rows,
  }));
}
