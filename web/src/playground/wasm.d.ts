// Packed by build.mjs; empty in a build without it.
declare module "playground.wasm" {
  const packed: Uint8Array;
  export default packed;
}
