import type { RouterContextProvider } from "react-router";
import { seenProblems } from "~/lib/http/telemetry/seen-problems.server";
import { installationContext } from "./installation.server";

const WARNING = "warning: ";

export type Health = Awaited<ReturnType<typeof readHealth>>;

export async function readHealth(context: Readonly<RouterContextProvider>) {
  const source = context.get(installationContext);
  const installation = source?.installation ?? null;
  const [readiness, samples] = await Promise.all([installation?.readiness() ?? null, source?.history.samples() ?? []]);
  const now = Date.now();
  const backups = installation?.backups() ?? null;
  return {
    now,
    version: installation?.version ?? null,
    parts: readiness && Object.entries(readiness).map(([name, text]) => partOf(name, text)),
    problems: [...(installation?.proxyProblems() ?? []), ...seenProblems()],
    backups: backups && {
      provenAt: Number.isFinite(backups.ageSeconds) ? now - backups.ageSeconds * 1000 : null,
      isProven: backups.isProven,
      warning: backups.warning,
    },
    samples,
  };
}

function partOf(name: string, text: string): { name: string; problem: string | null; isWarning: boolean } {
  const isWarning = text.startsWith(WARNING);
  return { name, problem: text === "ok" ? null : isWarning ? text.slice(WARNING.length) : text, isWarning };
}
