import { setTimeout as sleep } from "node:timers/promises";

const COLLECT_MS = 4;

/** Maximum of `uploads.getFiles`. */
export const LOADED_TOGETHER_MAX = 50;

/** Returns a function that loads items of a session. Those that are requested together share a call of `load`. */
export function loadTogether<Item, Result>(
  load: (sessionId: string, items: readonly Item[]) => Promise<readonly (Result | null)[]>,
): (sessionId: string, item: Item) => Promise<Result | null> {
  type Batch = { items: Item[]; results: Promise<readonly (Result | null)[]> };
  const batches = new Map<string, Batch>();

  function startBatch(sessionId: string): Batch {
    const items: Item[] = [];
    const results = sleep(COLLECT_MS).then(() => {
      if (batches.get(sessionId) === batch) batches.delete(sessionId);
      return load(sessionId, items);
    });
    const batch: Batch = { items, results };
    batches.set(sessionId, batch);
    return batch;
  }

  return async (sessionId, item) => {
    const batch = batches.get(sessionId) ?? startBatch(sessionId);
    const index = batch.items.push(item) - 1;
    if (batch.items.length === LOADED_TOGETHER_MAX) batches.delete(sessionId);
    return (await batch.results)[index] ?? null;
  };
}
