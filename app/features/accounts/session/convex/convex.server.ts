import { ConvexHttpClient } from "convex/browser";
import { type FunctionArgs, type FunctionReference, type FunctionReturnType, getFunctionName } from "convex/server";
import { convexToJson } from "convex/values";
import { type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import { renewVisitor, redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import { deploymentFetch, Unavailable } from "~/lib/http/unavailable.server";
import { convexContext, type RequestConvex } from "~/lib/data/convex.server";
import { notFoundResponse, redirectOf, refusalOf, unavailableResponse } from "~/lib/data/error-responses";

type Query = FunctionReference<"query">;

/** Requires the session middleware before it. */
export const convexMiddleware: MiddlewareFunction<Response> = ({ request, context }) => {
  context.set(convexContext, requestConvex(context, tokensOfVisitor(request, context)));
};

type Tokens = {
  current: () => Promise<string>;
  renewed: () => Promise<string>;
  /** Returns what to throw when it also refused the renewed one. */
  ended: () => unknown;
};

function tokensOfVisitor(request: Request, context: Readonly<RouterContextProvider>): Tokens {
  async function tokenOf(asking: ReturnType<typeof getVisitor>): Promise<string> {
    const visitor = await asking;
    if (!visitor) throw redirectToSignIn(request);
    return visitor.convexToken;
  }
  return {
    current: () => tokenOf(getVisitor(context)),
    renewed: () => tokenOf(renewVisitor(context)),
    ended: () => redirectToSignIn(request),
  };
}

export function requestConvex(context: Readonly<RouterContextProvider>, tokens: Tokens): RequestConvex {
  const { convexUrl } = context.get(configContext);
  let opened: Client | undefined;
  const open = () => (opened ??= openClient(convexUrl));
  let renewed: Promise<string> | undefined;

  /** Retries once with a renewed token if the deployment rejects it, and at a new timestamp if that of the request is too old. */
  async function asVisitor<Result>(run: (client: Client) => Promise<Result>, attempts = 3): Promise<Result> {
    const used = open();
    const { client } = used;
    client.setAuth(await (renewed ?? tokens.current()));
    try {
      return await run(used);
    } catch (error) {
      if (error instanceof SnapshotTooOld && attempts > 1) {
        if (opened === used) opened = undefined;
        return asVisitor(run, attempts - 1);
      }
      if (!isUnauthenticated(error)) throw error;
      renewed ??= tokens.renewed();
      client.setAuth(await renewed);
      return await run(used).catch((again: unknown) => {
        throw isUnauthenticated(again) ? tokens.ended() : again;
      });
    }
  }

  const requested = new Map<string, Promise<{ value: FunctionReturnType<Query>; ts: string }>>();

  /** Shares one answer between loaders with the same query, so that it is serialized once. */
  function once<Q extends Query>(query: Q, args: FunctionArgs<Q>): Promise<{ value: FunctionReturnType<Q>; ts: string }> {
    const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
    const pending = requested.get(key);
    if (pending) return pending;
    const answer = asVisitor(async ({ client, timestamp }) => ({
      value: await client.consistentQuery(query, args),
      ts: await timestamp(),
    }));
    requested.set(key, answer);
    return answer;
  }

  return {
    async preload(query, args) {
      try {
        return { query: getFunctionName(query), args, ...(await once(query, args)) };
      } catch (error) {
        throw asAnswer(error);
      }
    },
    async mutation(mutation, args) {
      try {
        return await asVisitor(({ client }) => client.mutation(mutation, args));
      } catch (error) {
        const target = redirectOf(error);
        throw target === null ? error : redirect(target, 303);
      }
    },
  };
}

function asAnswer(error: unknown): unknown {
  const target = redirectOf(error);
  if (target !== null) return redirect(target);
  if (error instanceof Unavailable) return unavailableResponse();
  return refusalOf(error)?.code === "not_found" ? notFoundResponse() : error;
}

class TokenRefused extends Error {}

class SnapshotTooOld extends Unavailable {}

type Client = ReturnType<typeof openClient>;

const isUnauthenticated = (error: unknown) => error instanceof TokenRefused || refusalOf(error)?.code === "unauthenticated";

/** The client does not expose the timestamp of its consistent queries, so it is read from the response. */
function openClient(url: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await deploymentFetch(input, init);
    if (response.status === 401) throw new TokenRefused(await response.text());
    if (response.status === 400 && addressOf(input).endsWith("/api/query_at_ts")) {
      const text = await response.clone().text();
      if (text.includes('"SnapshotNotAvailable"')) throw new SnapshotTooOld(text);
    }
    if (response.ok && addressOf(input).endsWith("/api/query_ts")) {
      const answer: unknown = await response.clone().json();
      if (typeof answer === "object" && answer !== null && "ts" in answer && typeof answer.ts === "string") resolve(answer.ts);
    }
    return response;
  };
  const client = new ConvexHttpClient(url, {
    skipConvexDeploymentUrlCheck: true,
    // Callers handle errors; the client would also print them.
    logger: false,
    fetch: watchedFetch,
  });
  return { client, timestamp: () => promise };
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : input.toString();
}
