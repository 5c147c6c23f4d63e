import { AUDIT_CATEGORIES, type AuditCategory } from "#convex/model/audit/auditActions";
import type { LogFilter } from "#convex/model/audit/allEvents";
import type { AuditFilter } from "#convex/model/audit/ownEvents";
import { cutText } from "#convex/model/cutText";

const DAY = 24 * 60 * 60 * 1000;

export type FilterFields = { category: AuditCategory | ""; from: string; to: string };

export function filterFieldsIn(params: URLSearchParams): FilterFields {
  const day = (name: string) => {
    const text = params.get(name) ?? "";
    return startOf(text) === null ? "" : text;
  };
  return { category: AUDIT_CATEGORIES.find((each) => each === params.get("category")) ?? "", from: day("from"), to: day("to") };
}

/** Returns the query's filter. Days are in UTC, and the last day is included. */
export function auditFilterOf({ category, from, to }: FilterFields): AuditFilter {
  const [since, last] = [startOf(from), startOf(to)];
  return {
    ...(category !== "" && { category }),
    ...(since !== null && { since }),
    ...(last !== null && { until: last + DAY }),
  };
}

export type LogFilterFields = FilterFields & { person: string; result: (typeof RESULTS)[number] | "" };

export const RESULTS = ["success", "failure"] as const;

export const PERSON_LENGTH = 254;

export function logFilterFieldsIn(params: URLSearchParams): LogFilterFields {
  const person = cutText((params.get("person") ?? "").trim(), PERSON_LENGTH);
  return { ...filterFieldsIn(params), person, result: RESULTS.find((each) => each === params.get("result")) ?? "" };
}

export function logFilterOf({ person, result, ...fields }: LogFilterFields): LogFilter {
  return { ...auditFilterOf(fields), ...(person !== "" && { person }), ...(result !== "" && { result }) };
}

export function filterSearch(fields: FilterFields | LogFilterFields, more: Record<string, string> = {}): string {
  const set = Object.entries(fields).filter(([, value]) => value !== "");
  return new URLSearchParams({ ...Object.fromEntries(set), ...more }).toString();
}

function startOf(day: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
  return Number.isNaN(at) ? null : at;
}
