/** Paths in the archives of `npx convex export` (docs.convex.dev/database/import-export/export). */
import { APP, childPath, type ComponentPath } from "../functions/paths.ts";

const COMPONENTS = "_components";
export const STORAGE = "_storage";
export const TABLES = "_tables";
const DOCUMENTS = "documents.jsonl";
const GENERATED_SCHEMA = "generated_schema.jsonl";

export type ArchivePath = { component: ComponentPath } & (
  | { kind: "documents" | "schema"; table: string }
  | { kind: "file"; id: string }
  | { kind: "other" }
);

export function parseArchivePath(path: string): ArchivePath {
  const parts = path.split("/");
  let component = APP;
  while (parts[0] === COMPONENTS && parts.length > 2) {
    component = childPath(component, parts[1] ?? "");
    parts.splice(0, 2);
  }
  const [table = "", name = "", ...deeper] = parts;
  if (name === "" || deeper.length > 0) return { component, kind: "other" };
  if (name === DOCUMENTS) return { component, kind: "documents", table };
  if (name === GENERATED_SCHEMA) return { component, kind: "schema", table };
  return table === STORAGE ? { component, kind: "file", id: name.replace(/\..*$/, "") } : { component, kind: "other" };
}

const folderOf = (component: ComponentPath): string =>
  component === APP
    ? ""
    : component
        .split("/")
        .map((name) => `${COMPONENTS}/${name}/`)
        .join("");

export const documentsPath = (component: ComponentPath, table: string): string => `${folderOf(component)}${table}/${DOCUMENTS}`;
export const schemaPath = (component: ComponentPath, table: string): string => `${folderOf(component)}${table}/${GENERATED_SCHEMA}`;
export const filePath = (component: ComponentPath, id: string, extension: string): string =>
  `${folderOf(component)}${STORAGE}/${id}${extension}`;
