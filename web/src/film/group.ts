// Things by node, without an array for each: those of node n are items[starts[n]] up to
// items[starts[n + 1]].

export interface Grouped {
  starts: Uint32Array;
  items: Uint32Array;
}

/** Groups the wanted things, in their order; `node` has the node of each thing. */
export function group(
  node: ArrayLike<number>,
  nodes: number,
  wanted: (thing: number) => boolean,
): Grouped {
  const starts = new Uint32Array(nodes + 1);
  for (let thing = 0; thing < node.length; ++thing)
    if (node[thing] < nodes && wanted(thing)) ++starts[node[thing] + 1];
  for (let n = 0; n < nodes; ++n) starts[n + 1] += starts[n];
  const items = new Uint32Array(starts[nodes]);
  const next = starts.slice();
  for (let thing = 0; thing < node.length; ++thing)
    if (node[thing] < nodes && wanted(thing)) items[next[node[thing]]++] = thing;
  return { starts, items };
}

/** The index of the largest item up to `value`, from `low` on and before `high`; -1 if none. */
export function lastUpTo(items: Uint32Array, value: number, low = 0, high = items.length): number {
  const first = low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low > first ? low - 1 : -1;
}
