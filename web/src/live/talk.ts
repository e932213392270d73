// What the peer tells its page, as live_feed.cpp, group_report.cpp and lock_table.cpp of src/cli
// write it.

export interface Note {
  /** Milliseconds since 1970. */
  at: number;
  event: string;
  lock?: string;
  peer?: string;
  cluster?: string;
  shared?: boolean;
  fence?: string;
  lasted_s?: number;
  epoch?: number;
  members?: string[];
}

export interface Hello {
  version: string;
  self: string;
  group: string;
  /** Whether a user with the token may evict and unlock. */
  admin: boolean;
  wait_bounds_s: number[];
  past: Note[];
}

export interface Notes {
  left_out: number;
  notes: Note[];
}

/** Counts since the peer started. */
export interface Rates {
  at: number;
  handovers: number;
  again: number;
  waits: number[];
}

export interface Member {
  id: string;
  address: string;
  guest: boolean;
  cluster: string;
  lease: string;
  answers: boolean;
  speaks: string;
  measured: boolean;
  // If it has answered:
  process?: number;
  age_s?: number;
  lease_s?: number;
  clients?: number;
  entries?: number;
  handovers?: number;
  losses?: number;
}

export interface Part {
  member: string;
  shared: boolean;
  since_s: number;
  in_line: number;
}

export interface Lock {
  lock: string;
  holders: Part[];
  /** The first few, the longest wait first. */
  waiters: Part[];
  /** How many wait, with those queued at their peers. */
  queue: number;
  age_s: number;
  rate: number;
  fence?: string;
  token?: string;
}

export interface Group {
  at: number;
  took_s: number;
  period_s: number;
  group: string;
  algorithm: string;
  eps: number;
  epoch: number;
  view: number;
  asked: string;
  all_members: boolean;
  dht?: string;
  replicas?: number;
  member_count: number;
  members: Member[];
  locks: { known: number; held: number; waited: number; waiting: number };
  busiest: Lock[];
}

export interface Window {
  found: number;
  from: number;
  locks: Lock[];
}

export interface Listener {
  connected(): void;
  disconnected(): void;
  hello(hello: Hello): void;
  notes(notes: Notes): void;
  rates(rates: Rates): void;
  group(group: Group): void;
  gap(events: number): void;
  trouble(why: string): void;
}

/** Listens until the page is closed: the browser reconnects by itself. */
export function listen(listener: Listener): EventSource {
  const source = new EventSource("events");
  const on = <T>(name: string, tell: (data: T) => void) =>
    source.addEventListener(name, (event) => tell(JSON.parse((event as MessageEvent).data) as T));
  source.onopen = () => listener.connected();
  source.onerror = () => listener.disconnected();
  on<Hello>("hello", (hello) => listener.hello(hello));
  on<Notes>("notes", (notes) => listener.notes(notes));
  on<Rates>("rates", (rates) => listener.rates(rates));
  on<Group>("group", (group) => listener.group(group));
  on<{ events: number }>("gap", ({ events }) => listener.gap(events));
  on<{ why: string }>("trouble", ({ why }) => listener.trouble(why));
  return source;
}

export interface Query {
  find?: string;
  lock?: string;
  busy?: boolean;
  order?: string;
  from?: number;
  count?: number;
}

/** Returns null if the peer does not answer. */
export async function fetchLocks(query: Query): Promise<Window | null> {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "" && value !== false)
      words.set(name, value === true ? "1" : String(value));
  try {
    const answer = await fetch(`locks?${words}`);
    return answer.ok ? ((await answer.json()) as Window) : null;
  } catch {
    return null;
  }
}

/** Returns null on success, else the reason. */
export async function act(path: string, token: string, body: object): Promise<string | null> {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Conch": "1",
        Authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(body),
    });
    return answer.ok ? null : (await answer.text()).trim();
  } catch {
    return "the peer does not answer";
  }
}
