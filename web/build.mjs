// node build.mjs PAGE FILE [MODULE]: writes a page as one file that needs nothing else: its script, its style and what
// it shows are inside, so that it can be served, saved or sent.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [page, file, playground] = process.argv.slice(2);
const titles = {
  viewer: "Conch: a run",
  playground: "Conch: playground",
  report: "Conch: lab report",
  live: "Conch: a group",
};

// The playground's WebAssembly, packed; without it an empty file, and the page says that there is none.
const modulePlugin = {
  name: "module",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^playground\.wasm$/ }, ({ path }) => ({ path, namespace: "module" }));
    onLoad({ filter: /.*/, namespace: "module" }, async () => ({
      contents: playground ? gzipSync(await readFile(playground), { level: 9 }) : new Uint8Array(),
      loader: "binary",
    }));
  },
};

async function bundle() {
  const result = await build({
    entryPoints: [join(here, "src", page, `${page}.ts`)],
    outdir: dirname(file),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    plugins: [modulePlugin],
    logLevel: "warning",
  });
  const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}

// The parser of HTML ends a script or a style at its closing tag, wherever that stands.
const enclosed = (text, tag) => text.replaceAll(`</${tag}`, `<\\/${tag}`);

await mkdir(dirname(file), { recursive: true });
const frame = await readFile(join(here, "src", "shared", "frame.html"), "utf8");
const { script, style } = await bundle();
const text = frame
  .replace("{{title}}", () => titles[page])
  .replace("{{style}}", () => enclosed(style, "style"))
  .replace("{{script}}", () => enclosed(script, "script"));
await writeFile(file, text);
