// The numbers of the last minutes: takes counters, and gives rates.
import type { Group, Rates } from "./talk";

export interface Sample {
  at: number;
  /** Entries per second of the group, and those whose lock came from another member. */
  entries: number;
  handovers: number;
}

/** What a member has counted since it was started. */
interface Counts {
  entries: number;
  handovers: number;
}

const kept_ms = 5 * 60 * 1000;
const waits_ms = 60 * 1000;
/** Rates are over this time: those between two surveys would jump up and down. */
const smooth_ms = 3000;

export class History {
  readonly samples: Sample[] = [];
  /** Entries a second, by member. */
  readonly byMember = new Map<string, number>();
  private rates: Rates[] = [];
  private surveys: { at: number; counts: Map<string, Counts> }[] = [];

  takeRates(rates: Rates) {
    const before = this.rates.at(-1);
    if (before && rates.handovers < before.handovers) this.rates = []; // The peer was restarted.
    this.rates.push(rates);
    while (this.rates[0].at < rates.at - waits_ms) this.rates.shift();
  }

  takeGroup(group: Group) {
    const counts = new Map<string, Counts>();
    for (const { id, entries, handovers } of group.members)
      if (entries !== undefined && handovers !== undefined) counts.set(id, { entries, handovers });
    this.surveys.push({ at: group.at, counts });
    const old = group.at - smooth_ms;
    while (this.surveys.length > 2 && this.surveys[1].at < old) this.surveys.shift();
    const before = this.surveys[0];
    const seconds = (group.at - before.at) / 1000;
    if (seconds <= 0) return;
    const sample = { at: group.at, entries: 0, handovers: 0 };
    this.byMember.clear();
    for (const [id, now] of counts) {
      const then = before.counts.get(id) ?? now;
      const rate = Math.max(now.entries - then.entries, 0) / seconds;
      this.byMember.set(id, rate);
      sample.entries += rate;
      sample.handovers += Math.max(now.handovers - then.handovers, 0) / seconds;
    }
    this.samples.push(sample);
    while (this.samples[0].at < group.at - kept_ms) this.samples.shift();
  }

  get last(): Sample | undefined {
    return this.samples.at(-1);
  }

  /** The waits of the last minute, counted by the bounds of the peer's histogram. */
  waits(): number[] {
    const first = this.rates[0];
    const last = this.rates.at(-1);
    if (!first || !last) return [];
    return last.waits.map((count, i) => count - first.waits[i]);
  }
}

/** The bound below which this part of the counts is; Infinity above the last, null without any. */
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
