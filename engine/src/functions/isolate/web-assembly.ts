/** Compiles in the calling thread: V8 does it on other threads, which queries and mutations cannot wait for. */
export function compileWebAssemblyAtOnce(): void {
  const { Module, Instance } = WebAssembly;
  const compile = async (bytes: BufferSource): Promise<WebAssembly.Module> => new Module(bytes);
  const instantiate = async (source: BufferSource | WebAssembly.Module, imports?: WebAssembly.Imports) => {
    if (source instanceof Module) return new Instance(source, imports);
    const module = new Module(source);
    return { module, instance: new Instance(module, imports) };
  };
  Object.assign(WebAssembly, { compile, instantiate });
}
