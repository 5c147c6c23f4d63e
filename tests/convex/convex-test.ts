import { convexTest } from "convex-test";
import type { FunctionVisibility } from "convex/server";
import { vi } from "vitest";
import schema from "../../convex/schema";
import type { Backend, Caller } from "./backends.ts";

/** Whom `auth.config.ts` believes. convex-test takes identities as given, so that the check of issuer and audience is done here. */
const ISSUER = "https://atelier.invalid";

export const modules = {
  ...import.meta.glob([
    "../../convex/**/*.{ts,js}",
    "!../../convex/**/*.test.ts",
    "!../../convex/**/*.d.ts",
    "!../../convex/auth.config.ts",
  ]),
  "../../convex/probe.ts": () => import("./probe.ts"),
};

/** convex-test, with Convex's limits on transactions switched on. */
export async function convexTestBackend(): Promise<Backend> {
  const inside = convexTest({ schema, modules, transactionLimits: true });
  // Its own types also take inline functions, which no other backend can; narrowed to what all can.
  const callerOf = (test: Pick<typeof inside, "query" | "mutation">): Caller<FunctionVisibility> => ({
    query: test.query as Caller<FunctionVisibility>["query"],
    mutation: test.mutation as Caller<FunctionVisibility>["mutation"],
  });
  const settle = async () => {
    vi.useFakeTimers();
    try {
      await inside.finishAllScheduledFunctions(() => vi.runAllTimers(), 1000);
    } finally {
      vi.useRealTimers();
    }
  };
  return {
    inside: callerOf(inside),
    nobody: callerOf(inside),
    async holder({ issuer = ISSUER, subject, sessionId, service, limited }) {
      if (issuer !== ISSUER) return callerOf(inside);
      const said = { ...(sessionId && { sessionId }), ...(service && { service }), ...(limited && { limited }) };
      return callerOf(inside.withIdentity({ issuer, subject, ...said }));
    },
    store: (bytes, contentType = "image/png") => inside.run((ctx) => ctx.storage.store(new Blob([bytes], { type: contentType }))),
    settle,
    crash: null,
    close: settle,
  };
}
