/**
 * The words every room of the deployment shares. Types only.
 */

/** JSON as it travels: the encoding of `convexToJson` in the published client library. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A commit's place in the deployment's one order: nanoseconds, strictly increasing, also across restarts. */
export type Timestamp = bigint;

/** What a JWT proved, in the shape that `ctx.auth.getUserIdentity()` returns. */
export type UserIdentity = {
  tokenIdentifier: string;
  subject: string;
  issuer: string;
  [claim: string]: Json;
};

/** Who calls: nobody, a user, or the deployment's administrator (who may act as a user). */
export type Identity =
  | { kind: "none" }
  | { kind: "user"; user: UserIdentity; expiresAt: number /* ms since 1970 */ }
  | { kind: "admin"; actingAs?: UserIdentity };

export type FunctionType = FunctionKind | "httpAction";
/** What is called by name. */
export type FunctionKind = "query" | "mutation" | "action";

/** A line that a function wrote with `console.*`, as the official clients expect it. */
export type LogLine = string;
