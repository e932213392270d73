// Numbers and ids as people read them.

/** Enough of an id to tell members apart. */
export const shortId = (id: string) => id.slice(0, 4);

/** "850 ms", "3.2 s", "4 min", "2.5 h", "3 d". */
export function durationText(seconds: number): string {
  if (seconds < 1e-3) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(2))} ms`;
  if (seconds < 100) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

/** "0", "0.4", "12", "3.4k". */
export function rateText(rate: number): string {
  if (rate === 0) return "0";
  if (rate < 10) return String(Number(rate.toPrecision(2)));
  if (rate < 10000) return String(Math.round(rate));
  return `${(rate / 1000).toFixed(rate < 100000 ? 1 : 0)}k`;
}

/** A fence as `conch lock` and `conch status` print it; the log has it as EPOCH.COUNT. */
export function fenceText(fence: string): string {
  const [epoch, count] = fence.split(".");
  return count === undefined ? fence : String((BigInt(epoch) << 32n) + BigInt(count));
}

export const countText = (count: number) => count.toLocaleString("en").replaceAll(",", "\u202f");

export const plural = (count: number, word: string) =>
  `${countText(count)} ${word}${count === 1 ? "" : "s"}`;

export function clockText(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  const whole = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
  return `${whole}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
