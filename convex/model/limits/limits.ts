import type { Auth } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import { limit } from "../errors";
import { type Counted, DEFAULT_PLAN, isPlanId, type PlanId, PLANS } from "./plans";

/** Stripe's statuses that count. "past_due" is included because Stripe retries the payment. */
const IN_FORCE = new Set(["active", "trialing", "past_due"]);
const CHECKED_ROWS = 20;

export async function subscriptionOf(db: QueryCtx["db"], userId: string): Promise<Doc<"subscriptions"> | null> {
  const rows = await db
    .query("subscriptions")
    .withIndex("referenceId", (q) => q.eq("referenceId", userId))
    .order("desc")
    .take(CHECKED_ROWS);
  return rows.find(({ status }) => IN_FORCE.has(status)) ?? null;
}

export const planFor = (subscription: Doc<"subscriptions"> | null): PlanId =>
  subscription && isPlanId(subscription.plan) ? subscription.plan : DEFAULT_PLAN;

/** The limits in a user's token. Jobs store them, because jobs have no token. `quota`: bytes that an owner may store. */
export const tokenLimits = {
  isLimited: v.boolean(),
  quota: v.optional(v.number()),
};
const limitsObject = v.object(tokenLimits);
export type TokenLimits = Infer<typeof limitsObject>;

export async function limitsOf({ auth }: { auth: Auth }): Promise<TokenLimits> {
  const identity = await auth.getUserIdentity();
  const quota = identity?.["quota"];
  return { isLimited: identity?.["limited"] === true, ...(typeof quota === "number" && { quota }) };
}

export function withLimits<Ctx extends { auth: Auth }>(ctx: Ctx, userId: string, { isLimited: limited, quota }: TokenLimits): Ctx {
  const identity = { tokenIdentifier: "", subject: userId, issuer: "", limited, ...(quota !== undefined && { quota }) };
  return { ...ctx, auth: { ...ctx.auth, getUserIdentity: async () => identity } };
}

const ITEM_NAMES: Record<Counted, [one: string, other: string]> = {
  projects: ["project", "projects"],
  designs: ["design", "designs"],
  images: ["image", "images"],
  bytes: ["byte", "bytes"],
};
const KINDS = ["projects", "designs", "images", "bytes"] as const satisfies Counted[];

/** Throws "limit" beyond the plan, but only for tokens with the claim that the app server adds when billing is on. */
export async function refuseBeyondPlan(
  { auth, db, user }: { auth: Auth; db: QueryCtx["db"]; user?: Pick<Doc<"users">, "id"> },
  ownerId: string,
  used: Record<Counted, number>,
  adds: Partial<Record<Counted, number>>,
): Promise<void> {
  const increased = KINDS.filter((kind) => (adds[kind] ?? 0) > 0);
  if (increased.length === 0) return;
  if (!(await limitsOf({ auth })).isLimited) return;
  const plan = PLANS[planFor(await subscriptionOf(db, ownerId))];
  for (const kind of increased) {
    const most = plan.limits[kind];
    if (most !== null && used[kind] + (adds[kind] ?? 0) > most) throw limit(planLimitText(plan.name, kind, most, isOwn({ user }, ownerId)));
  }
}

/** Returns whether a refusal may contain the owner's usage. Jobs have no acting user. */
export const isOwn = ({ user }: { user?: Pick<Doc<"users">, "id"> | undefined }, ownerId: string): boolean =>
  user === undefined || user.id === ownerId;

function planLimitText(plan: string, kind: Counted, most: number, isOwn: boolean): string {
  const limitText = kind === "bytes" ? `${most / 1000 ** 3} GB` : `${most} ${ITEM_NAMES[kind][most === 1 ? 0 : 1]}`;
  if (!isOwn) return `The plan of the project's owner includes ${limitText}. Nothing was added.`;
  return `The ${plan} plan includes ${limitText}. Your content is safe. To add more, delete something or change your plan under Billing.`;
}
