// node build.mjs [FOLDER [MODULE]]: writes each page as one file that needs nothing else: its script, its style and
// what it shows are inside, so that it can be served, saved or sent.
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const playground = process.argv[3] ?? null;
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

async function bundle(page) {
  const result = await build({
    entryPoints: [join(here, "src", page, `${page}.ts`)],
    outdir: out,
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

await mkdir(out, { recursive: true });
const frame = await readFile(join(here, "src", "shared", "frame.html"), "utf8");
for (const [page, title] of Object.entries(titles)) {
  if (!existsSync(join(here, "src", page, `${page}.ts`))) continue;
  const { script, style } = await bundle(page);
  const text = frame
    .replace("{{title}}", () => title)
    .replace("{{style}}", () => enclosed(style, "style"))
    .replace("{{script}}", () => enclosed(script, "script"));
  await writeFile(join(out, `${page}.html`), text);
}
