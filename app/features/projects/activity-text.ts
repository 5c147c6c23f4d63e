import { isolate } from "~/lib/ui/isolate";
import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { count } from "~/lib/ui/count";

export type Activity = FunctionReturnType<typeof api.activities.list>["page"][number];

export function activityText({ kind, thing, design, from, to, count: many = 1 }: Activity): string {
  const what = many > 1 ? count(many, thing.kind) : thing.kind === "project" ? "the project" : named(thing.name, thing.kind);
  const container = thing.kind === "image" ? "design" : "project";
  const where = design ? ` in ${named(design.name, "design")}` : "";
  switch (kind) {
    case "created":
      return `created ${what}${where}`;
    case "renamed":
      return from === undefined || to === undefined ? `renamed ${what}` : `renamed “${isolate(from)}” to “${isolate(to)}”`;
    case "described":
      return `changed the description of ${what}`;
    case "captioned":
      return `changed the caption of ${what}${where}`;
    case "uploaded":
      return `added ${what}${design ? ` to ${named(design.name, "design")}` : ""}`;
    case "versioned":
      return to === undefined ? `changed the version of ${what}${where}` : `set ${to.toLowerCase()} of ${what}${where} as current`;
    case "duplicated":
      return `copied ${from === undefined ? what : named(from, thing.kind)}${where}`;
    case "moved":
      return `moved ${what}${from === undefined ? "" : ` from ${named(from, container)}`}${to === undefined ? "" : ` to ${named(to, container)}`}`;
    case "reordered":
      return `reordered ${what}${where}`;
    case "covered":
      return to === undefined ? `reset the cover of ${what}` : `set ${named(to, "image")} as the cover of ${what}`;
    case "tagged":
      if (from !== undefined) return `removed the tag “${isolate(from)}” from ${what}${where}`;
      return `tagged ${what}${where}${to === undefined ? "" : ` with “${isolate(to)}”`}`;
    case "trashed":
      return `moved ${what}${where} to the trash`;
    case "restored":
      return `restored ${what}${where}`;
    case "purged":
      return `deleted ${many === 1 && thing.name === "" ? `${thing.kind === "image" ? "an" : "a"} ${thing.kind}` : what}${where} permanently`;
  }
}

/** Names of permanently deleted items are empty. */
const named = (name: string, kind: string): string => (name === "" ? `a deleted ${kind}` : `“${isolate(name)}”`);
