import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { count } from "~/ui/count";

export type Activity = FunctionReturnType<typeof api.activities.list>["page"][number];

/** What an entry of a project's history says, after the name of who did it. */
export function wordsFor({ kind, thing, design, from, to, count: many = 1 }: Activity): string {
  const what = many > 1 ? count(many, thing.kind) : thing.kind === "project" ? "the project" : `“${thing.name}”`;
  const where = design ? ` in “${design.name}”` : "";
  switch (kind) {
    case "created":
      return `created ${what}${where}`;
    case "renamed":
      return `renamed “${from ?? thing.name}” to “${to ?? thing.name}”`;
    case "described":
      return `changed the description of ${what}`;
    case "captioned":
      return `changed the caption of ${what}${where}`;
    case "uploaded":
      return `added ${what}${design ? ` to “${design.name}”` : ""}`;
    case "versioned":
      return `${to === undefined ? "changed the version" : `put ${to.toLowerCase()} in place`} of ${what}${where}`;
    case "duplicated":
      return `copied ${from === undefined ? what : `“${from}”`}${where}`;
    case "moved":
      return `moved ${what}${from === undefined ? "" : ` from “${from}”`}${to === undefined ? "" : ` to “${to}”`}`;
    case "reordered":
      return `put ${what} in another place${where}`;
    case "covered":
      return to === undefined ? `took the cover off ${what}` : `made “${to}” the cover of ${what}`;
    case "tagged":
      if (from !== undefined) return `took the tag “${from}” off ${what}${where}`;
      return `tagged ${what}${where}${to === undefined ? "" : ` with “${to}”`}`;
    case "trashed":
      return `moved ${what}${where} to the trash`;
    case "restored":
      return `restored ${what}${where}`;
    case "purged":
      return `deleted ${what}${where} for ever`;
  }
}
