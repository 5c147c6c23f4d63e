import { createContext, type RouterContextProvider } from "react-router";
import type { OnceValues } from "./deduplicate-data";

const onceContext = createContext<string[]>();

export const startOnce = (context: RouterContextProvider) => context.set(onceContext, []);

export function once(context: Readonly<RouterContextProvider>): string {
  const value = crypto.randomUUID();
  context.get(onceContext).push(value);
  return value;
}

export const onceValues = (context: Readonly<RouterContextProvider>): OnceValues => context.get(onceContext);
