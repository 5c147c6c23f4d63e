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
  context.set(convexContext, requestConvex(request, context));
};

function requestConvex(request: Request, context: Readonly<RouterContextProvider>): RequestConvex {
  const { convexUrl } = context.get(configContext);
  let opened: ReturnType<typeof openClient> | undefined;
  const open = () => (opened ??= openClient(convexUrl));
  let renewed: Promise<string> | undefined;

  /** Retries once with a renewed token if the deployment rejects it. */
  async function asVisitor<Result>(run: () => Promise<Result>): Promise<Result> {
    const { client } = open();
    client.setAuth(await (renewed ?? tokenOf(getVisitor(context))));
    try {
      return await run();
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      renewed ??= tokenOf(renewVisitor(context));
      client.setAuth(await renewed);
      return await run().catch((again: unknown) => {
        throw isUnauthenticated(again) ? redirectToSignIn(request) : again;
      });
    }
  }

  async function tokenOf(asking: ReturnType<typeof getVisitor>): Promise<string> {
    const visitor = await asking;
    if (!visitor) throw redirectToSignIn(request);
    return visitor.convexToken;
  }

  const requested = new Map<string, Promise<unknown>>();

  /** Shares one answer between loaders with the same query, so that it is serialized once. */
  function once<Q extends Query>(query: Q, args: FunctionArgs<Q>): Promise<FunctionReturnType<Q>> {
    const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
    const pending = requested.get(key);
    if (pending) return pending;
    const answer = asVisitor(() => open().client.consistentQuery(query, args));
    requested.set(key, answer);
    return answer;
  }

  return {
    async preload(query, args) {
      try {
        const value = await once(query, args);
        return { query: getFunctionName(query), args, ts: await open().timestamp(), value };
      } catch (error) {
        throw asAnswer(error);
      }
    },
    async mutation(mutation, args) {
      try {
        return await asVisitor(() => open().client.mutation(mutation, args));
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

const isUnauthenticated = (error: unknown) => error instanceof TokenRefused || refusalOf(error)?.code === "unauthenticated";

/** The client does not expose the timestamp of its consistent queries, so it is read from the response. */
function openClient(url: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await deploymentFetch(input, init);
    if (response.status === 401) throw new TokenRefused(await response.text());
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
