import { setImmediate } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { type FunctionArgs, type FunctionReference, type FunctionReturnType, getFunctionName } from "convex/server";
import { ConvexError, convexToJson } from "convex/values";
import { type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import { renewVisitor, redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import { pageAddress } from "~/lib/http/page-address";
import { deploymentFetch, Unavailable } from "~/lib/http/unavailable.server";
import { convexContext, type RequestConvex } from "~/lib/data/convex.server";
import { isInvalidCursor, notFoundResponse, redirectOf, refusalOf, unavailableResponse } from "~/lib/data/error-responses";
import { firstPageOf } from "~/lib/data/pagination/pages";
import { api } from "#convex/_generated/api";

type Query = FunctionReference<"query">;

export const convexMiddleware: MiddlewareFunction<Response> = ({ request, context }) => {
  context.set(convexContext, requestConvex(request, context, tokensOfVisitor(request, context)));
};

type Tokens = {
  current: () => Promise<string>;
  renewed: () => Promise<string>;
  ended: () => unknown;
  /** Whether the tokens belong to users. `pages:load` rejects tokens of links. */
  areUsers?: boolean;
};

type Answer = { value: FunctionReturnType<Query>; ts: string };
type Waiting = { query: Query; args: FunctionArgs<Query>; resolve: (answer: Answer) => void; reject: (error: unknown) => void };

function tokensOfVisitor(request: Request, context: Readonly<RouterContextProvider>): Tokens {
  async function tokenOf(pending: ReturnType<typeof getVisitor>): Promise<string> {
    const visitor = await pending;
    if (!visitor) throw redirectToSignIn(request);
    return visitor.convexToken;
  }
  return {
    current: () => tokenOf(getVisitor(context)),
    renewed: () => tokenOf(renewVisitor(context)),
    ended: () => redirectToSignIn(request),
    areUsers: true,
  };
}

export function requestConvex(request: Request, context: Readonly<RouterContextProvider>, tokens: Tokens): RequestConvex {
  const { convexUrl } = context.get(configContext);
  const client = openClient(convexUrl);
  let renewed: Promise<string> | undefined;

  async function asVisitor<Result>(run: () => Promise<Result>): Promise<Result> {
    client.setAuth(await (renewed ?? tokens.current()));
    try {
      return await run();
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      renewed ??= tokens.renewed();
      client.setAuth(await renewed);
      return await run().catch((again: unknown) => {
        throw isUnauthenticated(again) ? tokens.ended() : again;
      });
    }
  }

  const requested = new Map<string, Promise<Answer>>();
  let waiting: Waiting[] = [];

  function once(query: Query, args: FunctionArgs<Query>): Promise<Answer> {
    const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
    const pending = requested.get(key);
    if (pending) return pending;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    requested.set(key, promise);
    waiting.push({ query, args, resolve, reject });
    if (waiting.length === 1) void sendWaiting();
    return promise;
  }

  /** Sends the queries of all loaders in one call, once loaders that awaited the visitor have added theirs. */
  async function sendWaiting(): Promise<void> {
    await tokens.current().catch(() => undefined);
    await setImmediate();
    const sent = waiting;
    waiting = [];
    // Requested first, so that the results are at least as new as the timestamp.
    const ts = timestampOf(convexUrl);
    ts.catch(() => undefined);
    const answers = await inOneCall(sent);
    for (const [index, each] of sent.entries()) {
      const outcome = answers[index] ?? asVisitor(() => client.query(each.query, each.args));
      Promise.all([outcome, ts]).then(([value, at]) => each.resolve({ value, ts: at }), each.reject);
    }
  }

  /** Returns an empty array when the queries must run separately: one of them failed, and the others can still be shown. */
  async function inOneCall(sent: Waiting[]): Promise<Promise<unknown>[]> {
    if (sent.length === 1 || !tokens.areUsers) return [];
    const queries = sent.map(({ query, args }) => ({ name: getFunctionName(query), args }));
    try {
      const answers = await asVisitor(() => client.query(api.pages.load, { queries }));
      return answers.map(async (answer) => {
        if ("refusal" in answer) throw new ConvexError(answer.refusal);
        return answer.value;
      });
    } catch (error) {
      const isFault = error instanceof Error && !(error instanceof Unavailable);
      return isFault ? [] : sent.map(() => Promise.reject(error));
    }
  }

  return {
    async preload(query, args) {
      try {
        return { query: getFunctionName(query), args, ...(await once(query, args)) };
      } catch (error) {
        throw asAnswer(error, request);
      }
    },
    async mutation(mutation, args) {
      try {
        return await asVisitor(() => client.mutation(mutation, args));
      } catch (error) {
        const target = redirectOf(error);
        throw target === null ? error : redirect(target, 303);
      }
    },
  };
}

function asAnswer(error: unknown, request: Request): unknown {
  const target = redirectOf(error) ?? (isInvalidCursor(error) ? firstPageOf(pageAddress(request)) : null);
  if (target !== null) return redirect(target);
  if (error instanceof Unavailable) return unavailableResponse();
  return refusalOf(error)?.code === "not_found" ? notFoundResponse() : error;
}

class TokenRefused extends Error {}

const isUnauthenticated = (error: unknown) => error instanceof TokenRefused || refusalOf(error)?.code === "unauthenticated";

function openClient(url: string): ConvexHttpClient {
  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await deploymentFetch(input, init);
    if (response.status === 401) throw new TokenRefused(await response.text());
    return response;
  };
  return new ConvexHttpClient(url, {
    skipConvexDeploymentUrlCheck: true,
    logger: false,
    fetch: watchedFetch,
  });
}

/** Fetches a timestamp from `/api/query_ts` (specification 7). With Convex's client, each query would wait for it. */
async function timestampOf(url: string): Promise<string> {
  const response = await deploymentFetch(`${url}/api/query_ts`, { method: "POST" });
  const answer: unknown = await response.json();
  if (typeof answer === "object" && answer !== null && "ts" in answer && typeof answer.ts === "string") return answer.ts;
  throw new Unavailable("The deployment returned no timestamp");
}
