import { createContext, type RouterContextProvider } from "react-router";
import type { OnceValues } from "./same-data";

const onceContext = createContext<string[]>();

/** Gives a request its own list; `createApp` does. */
export const startOnce = (context: RouterContextProvider) => context.set(onceContext, []);

/** A random value for one answer alone, such as the name of a form that is taken once. Nobody knows it before the answer is there. */
export function once(context: Readonly<RouterContextProvider>): string {
  const value = crypto.randomUUID();
  context.get(onceContext).push(value);
  return value;
}

/** Those that this request's loaders made so far. */
export const onceValues = (context: Readonly<RouterContextProvider>): OnceValues => context.get(onceContext);
