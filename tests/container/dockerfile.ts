import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export type Instruction = { name: string; value: string; line: number };
export type Stage = { name: string; image: string; instructions: Instruction[] };

export async function readDockerfile(): Promise<Stage[]> {
  const text = await readFile(fileURLToPath(new URL("../../Dockerfile", import.meta.url)), "utf8");
  return parseDockerfile(text);
}

export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let whole = lines[at] ?? "";
    if (/^\s*(?:#|$)/.test(whole)) continue;
    while (whole.endsWith("\\")) whole = whole.slice(0, -1) + (lines[++at] ?? "").trim();
    const [, name = "", value = ""] = /^\s*(\w+)\s+(.*?)\s*$/.exec(whole) ?? [];
    if (name.toUpperCase() === "FROM") {
      const [, image = "", as = ""] = /^(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?$/i.exec(value) ?? [];
      stages.push({ name: as, image, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name: name.toUpperCase(), value, line });
    }
  }
  return stages;
}
