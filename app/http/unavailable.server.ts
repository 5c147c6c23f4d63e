import { AsyncLocalStorage } from "node:async_hooks";

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
  const response = await fetch(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }).catch((cause: unknown) => {
    throw unavailable("The deployment cannot be reached", cause);
  });
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

function unavailable(message: string, cause?: unknown): Unavailable {
  const fault = new Unavailable(message, { cause });
  const notice = noticed.getStore();
  if (notice) {
    notice.unavailable = true;
    // Whoever swallows it says nothing about it.
    console.error(fault);
  }
  return fault;
}
