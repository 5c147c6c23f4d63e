import { isolate } from "~/lib/ui/isolate";
import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { count } from "~/lib/ui/count";
import type { ReviewFilter } from "#convex/model/review/statuses";

export type Activity = FunctionReturnType<typeof api.activities.list>["page"][number];

const DISCUSSION_TEXTS = { commented: "commented on", resolved: "resolved a thread on", reopened: "reopened a thread on" };

export function activityText({ kind, thing, design, from, to, review, transfer, discussion, count: many = 1 }: Activity): string {
  if (discussion) {
    const action = many > 1 ? `wrote ${count(many, "comment")} on` : DISCUSSION_TEXTS[discussion];
    return `${action} ${named(thing.name, thing.kind)}${design ? ` in ${named(design.name, "design")}` : ""}`;
  }
  const itemText = many > 1 ? count(many, thing.kind) : thing.kind === "project" ? "the project" : named(thing.name, thing.kind);
  const container = thing.kind === "image" ? "design" : "project";
  const location = design ? ` in ${named(design.name, "design")}` : "";
  if (transfer) return `accepted the transfer of the project from ${isolate(transfer.from)}`;
  if (review) return STATUS_TEXTS[review.to](itemText + location);
  switch (kind) {
    case "created":
      return `created ${itemText}${location}`;
    case "renamed":
      return from === undefined || to === undefined ? `renamed ${itemText}` : `renamed “${isolate(from)}” to “${isolate(to)}”`;
    case "described":
      return `changed the description of ${itemText}`;
    case "captioned":
      return `changed the caption of ${itemText}${location}`;
    case "uploaded":
      return `added ${itemText}${design ? ` to ${named(design.name, "design")}` : ""}`;
    case "versioned":
      return to === undefined
        ? `changed the version of ${itemText}${location}`
        : `set ${to.toLowerCase()} of ${itemText}${location} as current`;
    case "duplicated":
      return `copied ${from === undefined ? itemText : named(from, thing.kind)}${location}`;
    case "moved":
      return `moved ${itemText}${from === undefined ? "" : ` from ${named(from, container)}`}${to === undefined ? "" : ` to ${named(to, container)}`}`;
    case "reordered":
      return `reordered ${itemText}${location}`;
    case "covered":
      return to === undefined ? `reset the cover of ${itemText}` : `set ${named(to, "image")} as the cover of ${itemText}`;
    case "tagged":
      if (from !== undefined) return `removed the tag “${isolate(from)}” from ${itemText}${location}`;
      return `tagged ${itemText}${location}${to === undefined ? "" : ` with “${isolate(to)}”`}`;
    case "trashed":
      return `moved ${itemText}${location} to the trash`;
    case "restored":
      return `restored ${itemText}${location}`;
    case "purged":
      return `deleted ${many === 1 && thing.name === "" ? `${thing.kind === "image" ? "an" : "a"} ${thing.kind}` : itemText}${location} permanently`;
  }
}

const STATUS_TEXTS: Record<ReviewFilter, (items: string) => string> = {
  none: (items) => `removed the review status of ${items}`,
  inReview: (items) => `set the review status of ${items} to “In review”`,
  changesRequested: (items) => `requested changes to ${items}`,
  approved: (items) => `approved ${items}`,
};

const named = (name: string, kind: string): string => (name === "" ? `a deleted ${kind}` : `“${isolate(name)}”`);
