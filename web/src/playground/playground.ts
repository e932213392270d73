// The page of `conch playground`: a group in which nothing happens unless the user clicks, as in
// scenarios (docs/simulator.md), with the trace viewer to look at what has happened.
import "../shared/theme.css";
import "./playground.css";
import packed from "playground.wasm";
import { h } from "../shared/dom";
import { Module } from "./module";
import { Page } from "./page";

async function unpacked(): Promise<ArrayBuffer> {
  const stream = new Blob([packed as BlobPart])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const app = document.getElementById("app")!;

function apologise(title: string, ...why: (string | Node)[]): void {
  app.replaceChildren(
    h("main", { class: "no-module" }, h("h1", {}, title), h("p", { role: "alert" }, ...why)),
  );
}

if (packed.length === 0) {
  apologise(
    "No playground here",
    "This conch was built without the module that the playground runs. Install clang-16, ",
    "lld-16, libc++-16-dev-wasm32 and ",
    "libclang-rt-16-dev-wasm32, and build again: ",
    h("code", {}, "./dev build"),
    " does both.",
  );
} else {
  unpacked()
    .then((bytes) => Module.load(bytes))
    .then((module) => Object.assign(window, { conchPlayground: new Page(app, module) }))
    .catch((error) => apologise("The playground does not start", String(error)));
}
