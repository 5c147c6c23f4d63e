import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { createContext, type RouterContextProvider } from "react-router";
import type { PreloadOf } from "./preload";

type Query = FunctionReference<"query">;
type Mutation = FunctionReference<"mutation">;

export type RequestConvex = {
  /** Runs a query at the request's timestamp. Throws the route's response: sign-in, 404, a redirect or 503. */
  preload<Q extends Query>(query: Q, args: FunctionArgs<Q>): Promise<PreloadOf<Q>>;
  /** Runs a mutation. Throws sign-in, redirects, `Unavailable`, and rejections for the form. */
  mutation<M extends Mutation>(mutation: M, args: FunctionArgs<M>): Promise<FunctionReturnType<M>>;
};

export const convexContext = createContext<RequestConvex>();

export const convexFor = (context: Readonly<RouterContextProvider>): RequestConvex => context.get(convexContext);
