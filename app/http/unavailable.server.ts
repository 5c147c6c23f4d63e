import { AsyncLocalStorage } from "node:async_hooks";
import { spend } from "./exchange.server";
import { log } from "./log.server";
import { metrics } from "./metrics.server";
import { plainFetch } from "./plain-fetch.server";

/** The deployment does not answer, or not in time. Whether a mutation ran is then unknown. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/** How long the deployment may take for one call before the request answers without it. */
const PATIENCE_MS = 10_000;

const noticed = new AsyncLocalStorage<{ unavailable: boolean }>();

/**
 * `fetch` towards the deployment, for the official client: throws `Unavailable` when it cannot be reached, does not answer in time, or answers
 * with trouble of its own. Status 560 is none: it carries a function's own error (specification 7).
 */
export const deploymentFetch: typeof fetch = async (input, init) => {
  const tell = measured(input, init?.body);
  const response = await plainFetch(input, init, PATIENCE_MS).catch((cause: unknown) => {
    tell("unreachable");
    throw unavailable("The deployment cannot be reached", cause);
  });
  tell(response.ok ? "ok" : response.status === 560 ? "refused" : String(response.status));
  if (response.status === 429 || (response.status >= 500 && response.status !== 560)) {
    throw unavailable(`The deployment answered ${response.status}: ${await response.text()}`);
  }
  return response;
};

/**
 * Runs something that may swallow `Unavailable`, as Better Auth does where it takes a session that it cannot read for none; tells whether it
 * came up, so that a visitor is not taken for signed out while the deployment restarts.
 */
export async function noticeUnavailable<Result>(
  run: () => Promise<Result>,
): Promise<{ outcome: PromiseSettledResult<Result>; unavailable: boolean }> {
  const notice = { unavailable: false };
  const [outcome] = await noticed.run(notice, () => Promise.allSettled([run()]));
  return { outcome, unavailable: notice.unavailable };
}

/** A call's kind stands at the end of its address, and the function's name first in its body, as the official client writes them. */
function measured(input: Parameters<typeof fetch>[0], body: unknown): (outcome: string) => void {
  const began = performance.now();
  const kind = /\/api\/(\w+)$/.exec(input instanceof Request ? input.url : input.toString())?.[1] ?? "other";
  const name = typeof body === "string" ? (/^\{"path":"([\w/:.-]{1,100})"/.exec(body)?.[1] ?? "") : "";
  return (outcome) => {
    const ms = performance.now() - began;
    metrics.deploymentCalls.observe({ kind, function: name, outcome }, ms / 1000);
    spend("deployment", ms);
  };
}

function unavailable(message: string, cause?: unknown): Unavailable {
  const fault = new Unavailable(message, { cause });
  const notice = noticed.getStore();
  if (notice) {
    notice.unavailable = true;
    // Whoever swallows it says nothing about it.
    log.error({ error: fault }, "the deployment was not there for a request");
  }
  return fault;
}
