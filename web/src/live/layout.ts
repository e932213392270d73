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
  /** Of a member's circle. */
  radius: number;
}

/** The coarsest part of the labels in which they differ: SITE of SITE/RACK/HOST, or more of it. */
function clusterNames(members: Member[]): Map<string, string> {
  const labels = members.map((member) => member.cluster.split("/"));
  const deepest = Math.max(1, ...labels.map((label) => label.length));
  let depth = 1;
  const names = (parts: number) => labels.map((label) => label.slice(0, parts).join("/"));
  while (depth < deepest && new Set(names(depth)).size < 2) ++depth;
  const chosen = names(new Set(names(depth)).size < 2 ? deepest : depth);
  return new Map(members.map((member, i) => [member.id, chosen[i]]));
}

/** By name. Of its neighbours a peer does not know how they are called. */
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
  const radius = Math.max(4, Math.min(24, ...boxes.map(radiusIn)));
  const spots = new Map<string, Spot>();
  for (const box of boxes) placeIn(box, radius, spots);
  return { boxes, spots, radius };
}

/** So that boxes are about as wide as they are high, or wider. */
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

/** A ring for a few, rows for many. */
function radiusIn(box: Box): number {
  const { width, height } = inner(box);
  const count = box.members.length;
  if (count <= 10) return Math.min(width / 5, height / 5, ringRoom(width, height, count));
  return Math.sqrt((width * height) / count) * 0.3;
}

const ringRoom = (width: number, height: number, count: number) =>
  count < 2 ? 24 : ((Math.PI * (width + height)) / 2 / count) * 0.32;

function placeIn(box: Box, radius: number, spots: Map<string, Spot>) {
  const room = inner(box);
  const x = box.x + box.width / 2;
  const y = box.y + title + 4 + room.height / 2;
  const count = box.members.length;
  if (count <= 10) {
    const a = Math.min(room.width / 2 - radius * 1.4, room.height * 0.9);
    const b = room.height / 2 - radius;
    box.members.forEach((member, i) => {
      const angle = ((i + (count === 2 ? 0.5 : 0)) / count) * 2 * Math.PI - Math.PI / 2;
      const off = count === 1 ? 0 : 1;
      spots.set(member.id, { x: x + off * a * Math.cos(angle), y: y + off * b * Math.sin(angle) });
    });
    return;
  }
  const columns = Math.ceil(Math.sqrt((count * room.width) / room.height));
  const rows = Math.ceil(count / columns);
  box.members.forEach((member, i) =>
    spots.set(member.id, {
      x: box.x + 8 + (((i % columns) + 0.5) * room.width) / columns,
      y: y - room.height / 2 + ((Math.floor(i / columns) + 0.5) * room.height) / rows,
    }),
  );
}
