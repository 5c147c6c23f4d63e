import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Where intents are described. */
const TABLES = ["app/projects/intents.ts", "app/designs/intents.ts", "app/images/intents.ts", "app/trash/intents.ts"];

/** The names of all intents that there are. */
export async function describedIntents(): Promise<string[]> {
  const described = new Set<string>();
  for (const table of TABLES) {
    const source = await readFile(fileURLToPath(new URL(`../../${table}`, import.meta.url)), "utf8");
    for (const [, name] of source.matchAll(/^ {2}(\w+): intent\(/gm)) if (name) described.add(name);
  }
  return [...described].toSorted();
}
