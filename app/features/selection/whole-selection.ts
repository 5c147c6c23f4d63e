import { api } from "#convex/_generated/api";
import type { FunctionArgs } from "convex/server";
import { type FormValues, type Intent, type SuccessMessage, successText } from "~/lib/forms/intents";
import { randomId } from "~/lib/random-id";
import { isReviewFilter, type ReviewFilter } from "#convex/model/review/statuses";
import { bulkText } from "./bulk/bulk-text";

/** Must match `BULK_MAX` (convex/model/rules.ts): more items need a job. */
export const DIRECT_MAX = 500;

export type WholeSelection = { all: string; total: number; except: readonly string[] };

type StartArgs = FunctionArgs<typeof api.bulk.start>;
type Kind = StartArgs["kind"];

export const WHOLE_FIELDS = ["all", "total"] as const;
/** Ids in a form without JavaScript: `shown` are the items with a check box, `except` the excluded items. */
export const WHOLE_LISTS = ["shown", "except"] as const;

export const scopeField = (kind: "design" | "project", id: string, review?: ReviewFilter): string =>
  [kind, id, ...(review === undefined ? [] : [review])].join(":");

export function jobSelection(kind: Kind, values: FormValues): Pick<StartArgs, "kind" | "place" | "ids"> | null {
  const ids = listIn(values, "ids");
  const [placeKind, id, review] = String(values["all"] ?? "").split(":", 3);
  if ((placeKind === "design" || placeKind === "project") && id !== undefined)
    return { kind, place: { kind: placeKind, id, ...(isReviewFilter(review) && { review }) }, ids: exceptIn(values) };
  return ids.length > DIRECT_MAX ? { kind, ids } : null;
}

function exceptIn(values: FormValues): string[] {
  const chosen = new Set(listIn(values, "ids"));
  return [...listIn(values, "except"), ...listIn(values, "shown").filter((id) => !chosen.has(id))];
}

export function countIn(values: FormValues): number {
  return values["all"] ? Math.max(0, Number(values["total"]) - exceptIn(values).length) : listIn(values, "ids").length;
}

const listIn = (values: FormValues, name: string): string[] => [values[name] ?? []].flat();

export function wholeFields({ all, total, except }: WholeSelection): [string, string][] {
  return [["all", all], ["total", String(total)], ...except.map((id): [string, string] => ["except", id])];
}

type BulkSpec = {
  kind: Kind;
  action: (values: FormValues) => StartArgs["action"];
  then?: (values: FormValues) => string | null;
};

export function bulkIntent(intent: Intent, { kind, action, then }: BulkSpec): Intent {
  const { message } = intent;
  return {
    ...intent,
    lists: [...intent.lists, ...WHOLE_LISTS],
    optional: [...intent.optional, ...WHOLE_FIELDS],
    message: message && { ...(message.quietly && { quietly: true }), text: (values) => startedText(values, message) },
    async run(run, values, step) {
      const selection = jobSelection(kind, values);
      if (!selection) return intent.run(run, values, step);
      await run(api.bulk.start, { ...selection, action: action(values), step: step ?? randomId() }, undefined);
      return then ? then(values) : null;
    },
  };

  function startedText(values: FormValues, usual: SuccessMessage): string {
    if (!jobSelection(kind, values)) return successText(usual, values);
    return bulkText({ kind, action: action(values).type, state: "running", phase: "do", done: 0, total: countIn(values) });
  }
}
