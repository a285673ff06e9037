// Import this before the package: it keeps the wasm memories that are made from now on.

export const memories = [];

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    memories.push(this.exports.memory);
  }
};
