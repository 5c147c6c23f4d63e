const HOUR_MS = 60 * 60_000;

/** Stores keys in the order of their last use, exact to the hour. Each operation takes constant time. */
export type InsertionOrder = {
  set(key: string, usedAt: number): void;
  delete(key: string): void;
  oldest(): string | undefined;
};

export function createInsertionOrder(): InsertionOrder {
  const hours = new Map<string, number>();
  const byHour = new Map<number, Set<string>>();
  let earliest: number | null = null;

  function remove(key: string): void {
    const hour = hours.get(key);
    if (hour === undefined) return;
    hours.delete(key);
    const keys = byHour.get(hour);
    keys?.delete(key);
    if (keys?.size !== 0) return;
    byHour.delete(hour);
    if (hour === earliest) earliest = null;
  }

  return {
    set(key, usedAt) {
      remove(key);
      const hour = Math.floor(usedAt / HOUR_MS);
      hours.set(key, hour);
      const keys = byHour.get(hour);
      if (keys) keys.add(key);
      else byHour.set(hour, new Set([key]));
      if (earliest !== null && hour < earliest) earliest = hour;
    },
    delete: remove,
    oldest() {
      earliest ??= byHour.keys().reduce((least, hour) => Math.min(least, hour), Infinity);
      return byHour.get(earliest)?.values().next().value;
    },
  };
}
