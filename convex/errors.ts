import { ConvexError } from "convex/values";

/** Why a function refuses. The whole vocabulary: the app's statuses and texts are made from these five words. */
export type RefusalCode = "unauthenticated" | "not_found" | "invalid" | "conflict" | "limit";

/** What a refused caller is told. `fieldErrors` stand beside the fields of a form, by the arguments' names. */
export type Refusal = {
  code: RefusalCode;
  message?: string;
  fieldErrors?: Record<string, string[]>;
  /** With "conflict": the image that is there already. */
  duplicateOf?: { imageId: string; name: string };
  /** With "limit": how many bytes are left. */
  left?: number;
};

/** The caller has no session, or no longer: signed out, revoked or expired. */
export const unauthenticated = () => refusal({ code: "unauthenticated" });

/** No such thing, or none of the caller's: the two must not be told apart. */
export const notFound = () => refusal({ code: "not_found" });

/** The arguments break a rule; see `check`. */
export const invalid = (fieldErrors: Record<string, string[]>) => refusal({ code: "invalid", fieldErrors });

/** The call contradicts something that was recorded before. */
export const conflict = (message: string) => refusal({ code: "conflict", message });

/** The same picture is in the same place already. */
export const duplicate = (duplicateOf: { imageId: string; name: string }) => refusal({ code: "conflict", duplicateOf });

/** More than the caller may store; `left` bytes would be no more than that. */
export const noRoom = (left: number) => refusal({ code: "limit", left: Math.max(0, left) });

/** More than there may be, or than the plan of whose it is has room for; the message says so. */
export const limit = (message: string) => refusal({ code: "limit", message });

/** What a function refused with, read from whatever the client threw; null when it is some other failure. */
export function refusalOf(error: unknown): Refusal | null {
  return isConvexError(error) && isRefusal(error.data) ? error.data : null;
}

/** The mark that the official class puts on its errors (convex/values). Known by it, a page without a client needs nothing of that library. */
const MARK = Symbol.for("ConvexError");

/** Whether a function threw this on purpose, with data for its caller. */
export const isConvexError = (error: unknown): error is Error & { data: unknown } =>
  error instanceof Error && MARK in error && "data" in error;

function refusal(data: Refusal): ConvexError<Refusal> {
  return new ConvexError(data);
}

const codes: ReadonlySet<unknown> = new Set<RefusalCode>(["unauthenticated", "not_found", "invalid", "conflict", "limit"]);

function isRefusal(data: unknown): data is Refusal {
  return typeof data === "object" && data !== null && "code" in data && codes.has(data.code);
}
