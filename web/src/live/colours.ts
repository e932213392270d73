// The colours of locks on the map: no two locks there have the same, and a lock that comes back has
// its old one, even after a reload.

const colours = 7;
/** How many locks are remembered. */
const remembered = 64;
const key = "conch lock colours";

export class LockColours {
  /** Colours by lock; the lock that came to the map last is last. */
  private readonly known = new Map<string, number>(stored());

  /** Colours for locks that come to the map; `taken` are the colours there. */
  assign(locks: string[], taken: Iterable<number>): Map<string, number> {
    const used = new Set(taken);
    const found = new Map<string, number>();
    const unknown = (lock: string) => Number(!this.known.has(lock));
    const order = [...locks].sort((a, b) => unknown(a) - unknown(b) || (a < b ? -1 : 1));
    for (const lock of order) {
      let colour = this.known.get(lock) ?? usual(lock);
      for (let tries = 1; used.has(colour) && tries < colours; ++tries)
        colour = (colour % colours) + 1;
      used.add(colour);
      found.set(lock, colour);
      this.remember(lock, colour);
    }
    if (locks.length > 0) store([...this.known]);
    return found;
  }

  private remember(lock: string, colour: number) {
    this.known.delete(lock);
    this.known.set(lock, colour);
    if (this.known.size > remembered) this.known.delete(this.known.keys().next().value!);
  }
}

/** The colour by the lock's name, so that it is the same in another window. */
function usual(lock: string): number {
  let hash = 2166136261;
  for (let i = 0; i < lock.length; ++i) hash = Math.imul(hash ^ lock.charCodeAt(i), 16777619) >>> 0;
  return (hash % colours) + 1;
}

/** Some browsers keep nothing; then only the names decide. */
function stored(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}

function store(known: [string, number][]) {
  try {
    sessionStorage.setItem(key, JSON.stringify(known));
  } catch {}
}
