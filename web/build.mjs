// Bundles the page into web/dist and puts both engines beside it, compressed. `make site` runs it, and then data.py.
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = process.argv[2] ?? join(HERE, "dist");
const ENGINES = {
  "mujoco.wasm": "node_modules/@mujoco/mujoco/mujoco.wasm",
  "onnx.wasm": "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
};

/** A WebAssembly module without its custom sections: names and debug information are half of MuJoCo's file. */
function stripped(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const custom = bytes[at++] === 0;
    let size = 0;
    for (let shift = 0, byte = 128; byte & 128; shift += 7) {
      byte = bytes[at++];
      size += (byte & 127) * 2 ** shift;
    }
    at += size;
    if (!custom) kept.push(bytes.subarray(start, at));
  }
  return Buffer.concat(kept);
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
await build({
  absWorkingDir: HERE,
  entryPoints: { main: "src/main.js", worker: "src/worker.js" },
  outdir: DIST,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  external: ["module", "fs", "path", "url", "node:*"], // what the engines' loaders ask for in Node alone
  logLevel: "warning",
});
for (const file of ["index.html", "style.css", "icon.svg", "file.js"]) cpSync(join(HERE, file), join(DIST, file));
for (const [name, file] of Object.entries(ENGINES)) {
  const module = stripped(readFileSync(join(HERE, file)));
  writeFileSync(join(DIST, `${name}.gz`), gzipSync(module, { level: 9 }));
}
