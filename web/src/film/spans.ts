// Things that last from one event to another, sorted by their beginnings. A tree of maxima over the
// ends, with sixteen children a node, finds those that meet a range of events without looking at
// all.
const fan = 16;

export class Spans {
  private readonly levels: Uint32Array[];

  /** `from` increases; an end of `none` has not come. */
  constructor(
    readonly from: Uint32Array,
    readonly to: Uint32Array,
  ) {
    this.levels = [to];
    for (let below = to; below.length > fan;) {
      const level = new Uint32Array(Math.ceil(below.length / fan));
      for (let i = 0; i < below.length; ++i) {
        const above = (i / fan) | 0;
        if (below[i] > level[above]) level[above] = below[i];
      }
      this.levels.push(level);
      below = level;
    }
  }

  get count(): number {
    return this.from.length;
  }

  /** The spans that are open right after an event, in order: begun by then, and not ended. */
  openAt(event: number): number[] {
    const found: number[] = [];
    this.meet(event, event, (span) => {
      found.push(span);
      return true;
    });
    return found;
  }

  /**
   * Calls `visit` with each span that begins by `last` and ends after `first`, until `visit` is
   * false.
   */
  meet(first: number, last: number, visit: (span: number) => boolean): void {
    const begun = upperBound(this.from, last);
    const descend = (level: number, index: number): boolean => {
      if (this.levels[level][index] <= first) return true;
      if (level === 0) return visit(index);
      const below = this.levels[level - 1].length;
      const end = Math.min((index + 1) * fan, below);
      for (let child = index * fan; child < end; ++child) {
        if (child * fan ** (level - 1) >= begun) break;
        if (!descend(level - 1, child)) return false;
      }
      return true;
    };
    const top = this.levels.length - 1;
    for (let index = 0; index < this.levels[top].length; ++index)
      if (index * fan ** top >= begun || !descend(top, index)) return;
  }
}

/** Collects spans in any order of their ends. */
export class SpanList {
  private from: number[] = [];
  private to: number[] = [];

  add(from: number, to: number): void {
    this.from.push(from);
    this.to.push(to);
  }

  get count(): number {
    return this.from.length;
  }

  spans(): Spans {
    return new Spans(Uint32Array.from(this.from), Uint32Array.from(this.to));
  }
}

function upperBound(items: Uint32Array, value: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
