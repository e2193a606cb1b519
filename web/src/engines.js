// MuJoCo and ONNX Runtime, both WebAssembly, one thread each.
import loadMujoco from "@mujoco/mujoco";
import * as ort from "onnxruntime-web/wasm";
import { unpacked } from "./unpack.js";

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

/** Both engines, from the folder `base`; `heard` is told how many bytes came. */
export async function engines(base, heard) {
  const wasm = async (name) => unpacked(new URL(`${name}.wasm.gz`, base), heard);
  const onnx = wasm("onnx").then((bytes) => {
    ort.env.wasm.wasmPaths = { wasm: new URL("onnx.wasm.gz", base).href }; // nothing is looked for elsewhere
    ort.env.wasm.wasmBinary = bytes.buffer;
  });
  const mujoco = wasm("mujoco").then((wasmBinary) => loadMujoco({ wasmBinary }));
  await onnx;
  return { mujoco: await mujoco, ort };
}
