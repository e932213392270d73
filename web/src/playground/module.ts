// The algorithms and the world of scenarios, as WebAssembly: src/playground/wasm/exports.cpp. A
// text goes in through a buffer of the module, and the answer of a call is read from another.

export interface Member {
  node: number;
  phase: "idle" | "waiting" | "cancelling" | "inside" | "joining" | "leaving" | "left" | "crashed";
  token: boolean;
  state: string;
  participant: boolean;
  retired: boolean;
  armed: number[];
  elected?: number;
}

export interface Message {
  from: number;
  to: number;
  kind: string;
  text: string;
  /** The partition holds it back. */
  parted: boolean;
  /** It does not arrive by itself. */
  held: boolean;
}

export interface Verdict {
  property: string;
  text: string;
  broken: boolean;
}

/** What can be seen of the group; src/playground/sight.cpp. */
export interface Sight {
  algorithm: string;
  deadlock: string;
  members: Member[];
  flight: Message[];
  verdicts: Verdict[];
  left: number[];
  right: number[];
  newcomer?: number;
}

export type Option =
  "home" | "voting" | "order" | "lazy" | "clusters" | "sites" | "eps" | "replicas" | "ids";

export interface Entry {
  name: string;
  algorithm: string;
  family: string;
  source: string;
  messages: string;
  specimen: boolean;
  restless: boolean;
  fifo: boolean;
  caughtBy: string;
  trap: { nodes: number; eps: number; clusters: number[] };
  can: Record<
    "token" | "causal" | "dynamic" | "suspecting" | "shared" | "elects" | "restarts" | "recovers",
    boolean
  >;
  options: Option[];
}

export interface Catalog {
  locks: Entry[];
  /** Protocols over an overlay. */
  protocols: Entry[];
  elections: Entry[];
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  conch_argument(bytes: number): number;
  conch_answer(): number;
  conch_answer_size(): number;
  conch_begin(): void;
  conch_run(): void;
  conch_draw(seed: number, lively: number): void;
  conch_sight(): void;
  conch_film(): void;
  conch_events(): number;
  conch_catalog(): void;
  conch_replay(): void;
}

export class Module {
  private readonly exports: Exports;
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();

  static async load(bytes: BufferSource): Promise<Module> {
    return new Module(await WebAssembly.compile(bytes));
  }

  private constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.system() });
    this.exports = instance.exports as unknown as Exports;
    this.exports._initialize();
  }

  begin(): void {
    this.exports.conch_begin();
  }

  /** Returns what the line prints. */
  run(line: string): string {
    this.give(line);
    this.exports.conch_run();
    return this.text();
  }

  /** The command that comes next by itself; empty if there is none. */
  draw(seed: number, lively: boolean): string {
    this.exports.conch_draw(seed, lively ? 1 : 0);
    return this.text();
  }

  sight(): Sight | null {
    this.exports.conch_sight();
    return JSON.parse(this.text());
  }

  film(): ArrayBuffer {
    this.exports.conch_film();
    return this.answer().slice().buffer;
  }

  /** The number of events in the film. */
  events(): number {
    return this.exports.conch_events();
  }

  catalog(): Catalog {
    this.exports.conch_catalog();
    return JSON.parse(this.text());
  }

  /** A script with what its commands print, as `conch replay` does it. */
  replay(script: string): string {
    this.give(script);
    this.exports.conch_replay();
    return this.text();
  }

  private give(text: string): void {
    const bytes = this.encoder.encode(text);
    const place = this.exports.conch_argument(bytes.length);
    new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
  }

  private answer(): Uint8Array<ArrayBuffer> {
    const { memory, conch_answer, conch_answer_size } = this.exports;
    return new Uint8Array(memory.buffer as ArrayBuffer, conch_answer(), conch_answer_size());
  }

  private text(): string {
    return this.decoder.decode(this.answer());
  }

  /** What a C library asks of a system: it may write error messages, and there are no files. */
  private system(): WebAssembly.ModuleImports {
    const badFile = 8;
    return {
      fd_close: () => badFile,
      fd_seek: () => badFile,
      fd_fdstat_get: () => badFile,
      fd_write: (_file: number, parts: number, count: number, written: number) => {
        const view = new DataView(this.exports.memory.buffer);
        let bytes = 0;
        let text = "";
        for (let part = parts; part < parts + 8 * count; part += 8) {
          const size = view.getUint32(part + 4, true);
          text += this.decoder.decode(
            new Uint8Array(view.buffer, view.getUint32(part, true), size),
          );
          bytes += size;
        }
        view.setUint32(written, bytes, true);
        console.error(text);
        return 0;
      },
      proc_exit: (code: number) => {
        throw new Error(`the module has exited with ${code}`);
      },
    };
  }
}
