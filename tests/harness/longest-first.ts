import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest. In a fresh clone Vitest orders by size, so a small file with a long run would run last and alone. */
const LONGEST = [
  "convex/access.test.ts",
  "app/features/accounts/auth-api/adapter/adapter-transaction.test.ts",
  "engine/tests/cli.test.ts",
  "engine/src/functions/bundles/push.test.ts",
  "tests/adapter/adapter.test.ts",
  "engine/src/scheduler/scheduler.test.ts",
  "engine/tests/consistency.test.ts",
  "server/commands/backup.test.ts",
  "app/features/images/codecs/hostile-images.test.ts",
  "app/features/accounts/mail/mail.test.ts",
  "app/features/images/serve/evict-deleted-files.server.test.ts",
  "engine/tests/older-database.test.ts",
];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return index < 0 ? LONGEST.length : index;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONGEST.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`Update LONGEST: ${missing.join(", ")} does not exist.`);
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's method, which returns a copy
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
