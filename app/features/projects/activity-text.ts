import { isolate } from "~/lib/ui/isolate";
import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { count } from "~/lib/ui/count";

export type Activity = FunctionReturnType<typeof api.activities.list>["page"][number];

export function activityText({ kind, thing, design, from, to, count: many = 1 }: Activity): string {
  const what = many > 1 ? count(many, thing.kind) : thing.kind === "project" ? "the project" : `“${isolate(thing.name)}”`;
  const where = design ? ` in “${isolate(design.name)}”` : "";
  switch (kind) {
    case "created":
      return `created ${what}${where}`;
    case "renamed":
      return `renamed “${isolate(from ?? thing.name)}” to “${isolate(to ?? thing.name)}”`;
    case "described":
      return `changed the description of ${what}`;
    case "captioned":
      return `changed the caption of ${what}${where}`;
    case "uploaded":
      return `added ${what}${design ? ` to “${isolate(design.name)}”` : ""}`;
    case "versioned":
      return to === undefined ? `changed the version of ${what}${where}` : `set ${to.toLowerCase()} of ${what}${where} as current`;
    case "duplicated":
      return `copied ${from === undefined ? what : `“${isolate(from)}”`}${where}`;
    case "moved":
      return `moved ${what}${from === undefined ? "" : ` from “${isolate(from)}”`}${to === undefined ? "" : ` to “${isolate(to)}”`}`;
    case "reordered":
      return `reordered ${what}${where}`;
    case "covered":
      return to === undefined ? `reset the cover of ${what}` : `set “${isolate(to)}” as the cover of ${what}`;
    case "tagged":
      if (from !== undefined) return `removed the tag “${isolate(from)}” from ${what}${where}`;
      return `tagged ${what}${where}${to === undefined ? "" : ` with “${isolate(to)}”`}`;
    case "trashed":
      return `moved ${what}${where} to the trash`;
    case "restored":
      return `restored ${what}${where}`;
    case "purged":
      return `deleted ${what}${where} permanently`;
  }
}
