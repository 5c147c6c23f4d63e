import { ConvexError } from "convex/values";

/** The app derives HTTP statuses and texts from these codes. */
export type RefusalCode = "unauthenticated" | "not_found" | "invalid" | "conflict" | "limit" | "disabled";

/** With "conflict", `current` is the stored text. With "limit", the owner may still store `left` of `quota` bytes. */
export type Refusal = {
  code: RefusalCode;
  message?: string;
  fieldErrors?: Record<string, string[]>;
  duplicateOf?: { imageId: string; name: string };
  current?: string;
  left?: number;
  quota?: number;
  isReadOnly?: true;
};

export const unauthenticated = () => refusal({ code: "unauthenticated" });

/** Returns the error for missing items and for foreign ones, which callers must not be able to distinguish. */
export const notFound = () => refusal({ code: "not_found" });

export const invalid = (fieldErrors: Record<string, string[]>) => refusal({ code: "invalid", fieldErrors });

export const conflict = (message: string) => refusal({ code: "conflict", message });

export const duplicate = (duplicateOf: { imageId: string; name: string }) => refusal({ code: "conflict", duplicateOf });

export const stale = (current: string) => refusal({ code: "conflict", message: "This text was changed in the meantime.", current });

export const limitReached = (left: number, quota: number) => refusal({ code: "limit", left: Math.max(0, left), quota });

export const limit = (message: string) => refusal({ code: "limit", message });

export const READ_ONLY_TEXT = "Atelier is read-only while its data is moved. Nothing was changed. Try again in a few minutes.";

export const readOnly = () => refusal({ code: "limit", message: READ_ONLY_TEXT, isReadOnly: true });

export const disabled = () => refusal({ code: "disabled" });

export function refusalOf(error: unknown): Refusal | null {
  return isConvexError(error) && isRefusal(error.data) ? error.data : null;
}

/** Marks a ConvexError of convex/values. Checking the marker keeps that library out of pages without a client. */
const MARK = Symbol.for("ConvexError");

/** Returns an error as Convex's client would, for a refusal that arrived as data. */
export const refusalError = (data: Refusal): Error & { data: Refusal } => Object.assign(new Error(data.code), { data, [MARK]: true });

export const isConvexError = (error: unknown): error is Error & { data: unknown } =>
  error instanceof Error && MARK in error && "data" in error;

function refusal(data: Refusal): ConvexError<Refusal> {
  return new ConvexError(data);
}

const codes: ReadonlySet<unknown> = new Set<RefusalCode>(["unauthenticated", "not_found", "invalid", "conflict", "limit", "disabled"]);

function isRefusal(data: unknown): data is Refusal {
  return typeof data === "object" && data !== null && "code" in data && codes.has(data.code);
}
