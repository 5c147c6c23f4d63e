import type { DatabaseSync } from "node:sqlite";
import type { Timestamp } from "../values/types.ts";
import { bigintOf, numberOf, prepare, prepareWithBigInts } from "./rows.ts";

const NANOSECONDS_PER_MS = 1_000_000n;
/** The smallest step that is exact in a float64 of milliseconds since 1970 until the year 2248. */
export const CREATION_STEP_MS = 1 / 1024;

export type Clock = ReturnType<typeof openClock>;

export function openClock(sql: DatabaseSync, wallClock: () => number /* ms since 1970 */) {
  const readTs = prepareWithBigInts(sql, "SELECT value FROM clock WHERE name = 'ts'");
  const readCreation = prepare(sql, "SELECT value FROM clock WHERE name = 'creationTime'");
  const write = sql.prepare("INSERT INTO clock (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");

  let ts: Timestamp = 0n;
  let creationTime = 0;

  const clock = {
    now: wallClock,
    latest: (): Timestamp => ts,
    timestamp: (): Timestamp => BigInt(Math.floor(wallClock())) * NANOSECONDS_PER_MS,
    tick(): Timestamp {
      const now = clock.timestamp();
      ts = now > ts ? now : ts + 1n;
      return ts;
    },
    nextCreationTime(): number {
      creationTime = Math.max(wallClock(), creationTime + CREATION_STEP_MS);
      return creationTime;
    },
    save(): void {
      write.run("ts", ts);
      write.run("creationTime", creationTime);
    },
    load(): void {
      const savedTs = readTs.get();
      const savedCreation = readCreation.get();
      ts = savedTs === undefined ? 0n : bigintOf(savedTs[0]);
      creationTime = savedCreation === undefined ? 0 : numberOf(savedCreation[0]);
    },
  };
  clock.load();
  return clock;
}
