const notes = new WeakMap<object, (row: unknown) => void>();

export type Reads<Db> = {
  db: Db;
  rows(): string[];
  /** The earliest `expiresAt` of these rows, in ms since 1970. */
  endsAt(): number | undefined;
  /** Starts another recording, which includes the rows read so far. */
  fork(): Reads<Db>;
};

export function recordReads<Db extends object>(db: Db, known: ReadonlyMap<string, number | undefined> = new Map()): Reads<Db> {
  const read = new Map(known);
  const note = (row: unknown): void => {
    if (!isObject(row) || !("_id" in row) || typeof row._id !== "string") return;
    read.set(row._id, "expiresAt" in row && typeof row.expiresAt === "number" ? row.expiresAt : undefined);
  };
  const recorded = watch(db, note);
  notes.set(recorded, note);
  return {
    db: recorded,
    rows: () => [...read.keys()],
    endsAt() {
      const times = [...read.values()].filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    fork: () => recordReads(db, read),
  };
}

/** Records a row that an earlier call read and cached. */
export function recordRead(db: object, row: unknown): void {
  notes.get(db)?.(row);
}

/** Wraps an object so that the rows in results of its methods are noted, and those of the queries that they return. */
function watch<Target extends object>(target: Target, note: (row: unknown) => void): Target {
  return new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, of, args);
        if (result instanceof Promise) return result.then((value: unknown) => noteAll(value, note));
        return isObject(result) ? watch(result, note) : result;
      };
    },
  });
}

function noteAll(result: unknown, note: (row: unknown) => void): unknown {
  note(result);
  for (const rows of [result, property(result, "page"), property(result, "value")])
    if (Array.isArray(rows)) for (const row of rows) note(row);
    else note(rows);
  return result;
}

const property = (value: unknown, name: string): unknown => (isObject(value) ? Reflect.get(value, name) : undefined);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
