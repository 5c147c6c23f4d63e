/** Returns a function that starts `work` once, on its first call or when `begin` resolves, and returns the work's promise. */
export function beginLater(begin: Promise<void>, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const start = () => (running ??= work());
  void begin.then(start);
  return start;
}
