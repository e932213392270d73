// What the numbers of the last minutes were: counters come, rates go out.
import type { Group, Rates } from "./talk";

export interface Sample {
  at: number;
  /** Of the whole group, a second. */
  entries: number;
  /** Locks that came to this peer, a second. */
  handovers: number;
}

const kept_ms = 5 * 60 * 1000;
const waits_ms = 60 * 1000;
/** Over so long: two surveys alone would jump up and down. */
const smooth_ms = 3000;

export class History {
  readonly samples: Sample[] = [];
  /** Entries a second, by member. */
  readonly byMember = new Map<string, number>();
  private rates: Rates[] = [];
  private surveys: { at: number; entries: Map<string, number> }[] = [];

  takeRates(rates: Rates) {
    const before = this.rates.at(-1);
    if (before && rates.handovers < before.handovers) this.rates = []; // It was started again.
    this.rates.push(rates);
    while (this.rates[0].at < rates.at - waits_ms) this.rates.shift();
  }

  takeGroup(group: Group) {
    const entries = new Map<string, number>();
    for (const member of group.members)
      if (member.entries !== undefined) entries.set(member.id, member.entries);
    this.surveys.push({ at: group.at, entries });
    const old = group.at - smooth_ms;
    while (this.surveys.length > 2 && this.surveys[1].at < old) this.surveys.shift();
    const before = this.surveys[0];
    const seconds = (group.at - before.at) / 1000;
    if (seconds <= 0) return;
    let sum = 0;
    this.byMember.clear();
    for (const [id, count] of entries) {
      const rate = Math.max(count - (before.entries.get(id) ?? count), 0) / seconds;
      this.byMember.set(id, rate);
      sum += rate;
    }
    this.samples.push({ at: group.at, entries: sum, handovers: this.handoverRate() });
    while (this.samples[0].at < group.at - kept_ms) this.samples.shift();
  }

  private handoverRate(): number {
    const last = this.rates.at(-1);
    const before = last && this.rates.find((each) => each.at >= last.at - smooth_ms);
    if (!last || !before || before.at === last.at) return 0;
    return ((last.handovers - before.handovers) * 1000) / (last.at - before.at);
  }

  get last(): Sample | undefined {
    return this.samples.at(-1);
  }

  /** Of the last minute, by the bounds of the peer's histogram. */
  waits(): number[] {
    const first = this.rates[0];
    const last = this.rates.at(-1);
    if (!first || !last) return [];
    return last.waits.map((count, i) => count - first.waits[i]);
  }
}

/** The bound below which so large a part of them is; Infinity above the last; null of none. */
export function quantile(counts: number[], bounds: number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (let i = 0; i < counts.length; ++i) {
    below += counts[i];
    if (below >= part * total) return bounds[i] ?? Infinity;
  }
  return Infinity;
}
