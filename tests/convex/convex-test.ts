import { convexTest } from "convex-test";
import type { FunctionVisibility } from "convex/server";
import { vi } from "vitest";
import schema from "../../convex/schema";
import type { Backend, Caller } from "./backends.ts";

/** The issuer in `auth.config.ts`. convex-test does not check issuer and audience, so this backend does. */
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

export async function convexTestBackend(): Promise<Backend> {
  const inside = convexTest({ schema, modules, transactionLimits: true });
  const callerOf = (test: Pick<typeof inside, "query" | "mutation">): Caller<FunctionVisibility> => ({
    query: test.query as Caller<FunctionVisibility>["query"],
    mutation: test.mutation as Caller<FunctionVisibility>["mutation"],
  });
  const settle = async () => {
    // Functions scheduled for now wait for a real timer, which fake timers do not run.
    await new Promise((resolve) => setTimeout(resolve));
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
    async holder({ issuer = ISSUER, subject, ...claims }) {
      if (issuer !== ISSUER) return callerOf(inside);
      return callerOf(inside.withIdentity({ issuer, subject, ...claims }));
    },
    store: (bytes, contentType = "image/png") => inside.run((ctx) => ctx.storage.store(new Blob([bytes], { type: contentType }))),
    settle,
    crash: null,
    close: settle,
  };
}
