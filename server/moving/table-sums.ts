import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { openArchive } from "@atelier/engine/archive";

/** `sum`: the sum of the documents' sha256, which does not depend on their order. */
export type TableSum = { documents: number; bytes: number; sum: string };
export type TableSums = Map<string, TableSum>;

const MODULUS = 1n << 256n;

export async function sumTables(path: string): Promise<TableSums> {
  const archive = await openArchive(path);
  try {
    const sums: TableSums = new Map();
    for (const { component, name, open } of archive.tables) {
      let [documents, bytes, sum] = [0, 0, 0n];
      for await (const line of createInterface({ input: await open(), crlfDelay: Infinity })) {
        if (line.trim() === "") continue;
        const digest = createHash("sha256")
          .update(canonicalText(JSON.parse(line)))
          .digest("hex");
        sum = (sum + BigInt(`0x${digest}`)) % MODULUS;
        documents += 1;
        bytes += line.length;
      }
      if (documents > 0) sums.set(component === "" ? name : `${component}/${name}`, { documents, bytes, sum: sum.toString(16) });
    }
    return sums;
  } finally {
    archive.close();
  }
}

/** Returns JSON with sorted fields: deployments write numbers and fields in different ways. */
function canonicalText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join(",")}}`;
}

export function differencesOf(source: TableSums, target: TableSums): string[] {
  return [...new Set([...source.keys(), ...target.keys()])].toSorted().flatMap((name) => {
    const [expected, found] = [source.get(name), target.get(name)];
    if (expected?.documents !== found?.documents)
      return [`Table ${name} has ${found?.documents ?? 0} documents instead of ${expected?.documents ?? 0}.`];
    return expected?.sum === found?.sum ? [] : [`The documents of table ${name} differ from the source.`];
  });
}
