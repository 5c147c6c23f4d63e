/** Limits apply only where billing is on (`limits.ts`). Null means unlimited. */
export const PLANS = {
  free: { name: "Free", limits: { projects: 3, designs: 30, images: 300, bytes: 1000 ** 3 } },
  pro: { name: "Pro", limits: { projects: null, designs: null, images: null, bytes: 200 * 1000 ** 3 } },
} as const satisfies Record<string, { name: string; limits: Limits }>;

export type PlanId = keyof typeof PLANS;

export type Counted = "projects" | "designs" | "images" | "bytes";
export type Limits = Record<Counted, number | null>;

export const DEFAULT_PLAN: PlanId = "free";

export const isPlanId = (text: string): text is PlanId => Object.hasOwn(PLANS, text);
