import { ConvexHttpClient } from "convex/browser";
import { type FunctionArgs, type FunctionReference, type FunctionReturnType, getFunctionName } from "convex/server";
import { convexToJson } from "convex/values";
import { createContext, type MiddlewareFunction, redirect, type RouterContextProvider } from "react-router";
import { renewVisitor, toSignIn, visitor } from "~/accounts/session.server";
import { configContext } from "~/http/context";
import { deploymentFetch, Unavailable } from "~/http/unavailable.server";
import type { PreloadOf } from "./preload";
import { notFoundResponse, redirectOf, refusalOf, unavailableResponse } from "./refusals";

type Query = FunctionReference<"query">;
type Mutation = FunctionReference<"mutation">;

/** One request's way to the deployment, in the visitor's name. */
export type RequestConvex = {
  /**
   * Answers a query for a loader; all of a request's queries hold at one timestamp. Throws what the route is to answer instead: the way to
   * sign in, 404 for a missing or foreign id, a query's redirect, 503 while the deployment does not answer.
   */
  preload<Q extends Query>(query: Q, args: FunctionArgs<Q>): Promise<PreloadOf<Q>>;
  /**
   * Runs a mutation for an action. Throws the way to sign in, a mutation's redirect, `Unavailable`, and refusals (`refusalOf`) as they come,
   * since a form tells them beside its fields.
   */
  mutation<M extends Mutation>(mutation: M, args: FunctionArgs<M>): Promise<FunctionReturnType<M>>;
};

const convexContext = createContext<RequestConvex>();

/** Gives every request its own client; stands behind the session's middleware. */
export const convexMiddleware: MiddlewareFunction<Response> = ({ request, context }) => {
  context.set(convexContext, requestConvex(request, context));
};

/** The request's client. */
export const convexFor = (context: Readonly<RouterContextProvider>): RequestConvex => context.get(convexContext);

function requestConvex(request: Request, context: Readonly<RouterContextProvider>): RequestConvex {
  const { convexUrl } = context.get(configContext);
  // Not every request has something to ask.
  let opened: ReturnType<typeof openClient> | undefined;
  const open = () => (opened ??= openClient(convexUrl));
  let renewed: Promise<string> | undefined;

  /** Runs in the visitor's name; when the deployment knows that name no longer, once more under a renewed one. */
  async function asVisitor<Result>(run: () => Promise<Result>): Promise<Result> {
    const { client } = open();
    client.setAuth(await (renewed ?? tokenOf(visitor(context))));
    try {
      return await run();
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      renewed ??= tokenOf(renewVisitor(context));
      client.setAuth(await renewed);
      return await run().catch((again: unknown) => {
        throw isUnauthenticated(again) ? toSignIn(request) : again;
      });
    }
  }

  async function tokenOf(asking: ReturnType<typeof visitor>): Promise<string> {
    const who = await asking;
    if (!who) throw toSignIn(request);
    return who.convexToken;
  }

  const asked = new Map<string, Promise<unknown>>();

  /** Each query once a request: two loaders that want the same share one answer, which then stands in the page once. */
  function once<Q extends Query>(query: Q, args: FunctionArgs<Q>): Promise<FunctionReturnType<Q>> {
    const key = JSON.stringify([getFunctionName(query), convexToJson(args)]);
    const known = asked.get(key);
    if (known) return known;
    const answer = asVisitor(() => open().client.consistentQuery(query, args));
    asked.set(key, answer);
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

/** What a route answers when one of its queries fails. */
function asAnswer(error: unknown): unknown {
  const target = redirectOf(error);
  if (target !== null) return redirect(target);
  if (error instanceof Unavailable) return unavailableResponse();
  return refusalOf(error)?.code === "not_found" ? notFoundResponse() : error;
}

class TokenRefused extends Error {}

const isUnauthenticated = (error: unknown) => error instanceof TokenRefused || refusalOf(error)?.code === "unauthenticated";

/** The official client, and the timestamp at which its consistent queries run: the client keeps it to itself, so it is read as it passes. */
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
    // A refused rule is told to whoever caused it; the console is no place for it.
    logger: false,
    fetch: watchedFetch,
  });
  return { client, timestamp: () => promise };
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : input.toString();
}
