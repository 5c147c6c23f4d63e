import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export type Program = {
  variable: string;
  names: string[];
  debianPackage: string;
};

export function findProgram({ variable, names, debianPackage }: Program): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = names.flatMap((name) => (name.startsWith("/") ? [name] : folders.map((folder) => join(folder, name))));
  const found = [process.env[variable], ...candidates].find((path) => path && existsSync(path));
  if (found) return found;
  throw new Error(`${names[0] ?? ""} is missing. Install the Debian package "${debianPackage}" or set ${variable}.`);
}
