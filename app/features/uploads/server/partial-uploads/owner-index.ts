type Owned = { id: string; ownerId: string };

export type OwnerIndex<Entry extends Owned> = {
  get(id: string): Entry | undefined;
  set(entry: Entry): void;
  delete(id: string): void;
  of(ownerId: string): Iterable<Entry>;
  countOf(ownerId: string): number;
  owners(): string[];
  values(): Iterable<Entry>;
  size(): number;
};

export function createOwnerIndex<Entry extends Owned>(): OwnerIndex<Entry> {
  const entries = new Map<string, Entry>();
  const byOwner = new Map<string, Map<string, Entry>>();

  function remove(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    const own = byOwner.get(entry.ownerId);
    own?.delete(id);
    if (own?.size === 0) byOwner.delete(entry.ownerId);
  }

  return {
    get: (id) => entries.get(id),
    set(entry) {
      remove(entry.id);
      entries.set(entry.id, entry);
      const own = byOwner.get(entry.ownerId);
      if (own) own.set(entry.id, entry);
      else byOwner.set(entry.ownerId, new Map([[entry.id, entry]]));
    },
    delete: remove,
    of: (ownerId) => byOwner.get(ownerId)?.values() ?? [],
    countOf: (ownerId) => byOwner.get(ownerId)?.size ?? 0,
    owners: () => [...byOwner.keys()],
    values: () => entries.values(),
    size: () => entries.size,
  };
}
