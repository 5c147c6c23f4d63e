import { type ObjectType, v } from "convex/values";
import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { check } from "../check";
import { invalid } from "../errors";
import { nameLink } from "../rules";

const HOUR = 60 * 60 * 1000;
const LIFETIME_MAX = 4 * 366 * 24 * HOUR;

export const linkSettings = {
  name: v.string(),
  downloads: v.boolean(),
  /** `comments`: absent in requests of the previous build. `expiresAt`: milliseconds since 1970; null for a link without end. */
  comments: v.optional(v.boolean()),
  expiresAt: v.union(v.number(), v.null()),
};

type LinkSettings = ObjectType<typeof linkSettings>;

export const allowsComments = ({ kind }: Pick<Doc<"links">, "kind">): boolean => kind === "comment";

export function hasSettings(
  link: Doc<"links">,
  { name, downloads, comments = allowsComments(link), expiresAt, hasPassword }: LinkSettings & { hasPassword: boolean },
): boolean {
  const isSame =
    link.name === name && link.downloads === downloads && allowsComments(link) === comments && (link.expiresAt ?? null) === expiresAt;
  return isSame && (link.passwordHash !== undefined) === hasPassword;
}

export function checkedSettings(
  { expiresAt, downloads, comments, ...args }: LinkSettings,
  current?: Pick<Doc<"links">, "kind" | "expiresAt">,
): Pick<Doc<"links">, "name" | "downloads" | "kind"> & { expiresAt: number | undefined } {
  const { name } = check(nameLink, args);
  if (expiresAt !== null && !(expiresAt > Date.now()) && expiresAt !== current?.expiresAt)
    throw invalid({ expiresOn: ["Choose a day in the future."] });
  if (expiresAt !== null && expiresAt > Date.now() + LIFETIME_MAX)
    throw invalid({ expiresOn: ["Choose a day within the next four years."] });
  const kind = comments === undefined ? (current?.kind ?? "view") : comments ? "comment" : "view";
  return { name, downloads, kind, expiresAt: expiresAt ?? undefined };
}

export async function scheduleExpiry(ctx: MutationCtx, id: Id<"links">, expiresAt: number | undefined): Promise<void> {
  if (expiresAt !== undefined && expiresAt > Date.now()) await ctx.scheduler.runAt(expiresAt, internal.jobs.links.expire, { id });
}
