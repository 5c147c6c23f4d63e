import { listBackups, readIndex, readProof } from "./backup-records.ts";
import { MissingError, type Target } from "./targets/target.ts";
import { DamageError, verifyContent } from "./objects/verified.ts";

export async function checkBackups(target: Target): Promise<{ problems: string[]; backups: number; objects: number }> {
  const problems: string[] = [];
  const objects = new Map<string, { sha256: string; size: number }>();
  const names = await listBackups(target);
  const note = (error: unknown) => void problems.push(error instanceof Error ? error.message : String(error));
  for (const name of names) {
    await readProof(target, name).catch(note);
    const index = await readIndex(target, name).catch(note);
    for (const [object, expected] of index?.objects ?? []) objects.set(object, expected);
  }
  for (const [name, expected] of objects) {
    try {
      for await (const _ of verifyContent(target.read(name), expected, target.describe(name)));
    } catch (error) {
      if (error instanceof MissingError) problems.push(`${error.message}.`);
      else if (error instanceof DamageError) problems.push(error.message);
      else throw error;
    }
  }
  return { problems, backups: names.length, objects: objects.size };
}
