import { actionGeneric as action, mutationGeneric as mutation, queryGeneric as query } from "convex/server";
import { v } from "convex/values";

function loop(ms: number): void {
  const end = Date.now() + ms;
  while (Date.now() < end) Math.sqrt(end);
}

function fill(mebibytes: number): number {
  const blocks = Array.from({ length: mebibytes }, () => new Uint8Array(1024 * 1024).fill(1));
  return blocks.length;
}

export const trivial = query({ args: {}, handler: () => Promise.resolve(null) });
export const trivialMutation = mutation({ args: {}, handler: () => Promise.resolve(null) });
export const trivialAction = action({ args: {}, handler: () => Promise.resolve(null) });

const number = { lane: v.number() };
export const loopingQuery = query({ args: number, handler: () => Promise.resolve(loop(Infinity)) });
export const loopingMutation = mutation({ args: number, handler: () => Promise.resolve(loop(Infinity)) });
export const busyAction = action({ args: { ms: v.number() }, handler: (_ctx, { ms }) => Promise.resolve(loop(ms)) });

const size = { mebibytes: v.number() };
export const fillingQuery = query({ args: size, handler: (_ctx, { mebibytes }) => Promise.resolve(fill(mebibytes)) });
export const fillingAction = action({ args: size, handler: (_ctx, { mebibytes }) => Promise.resolve(fill(mebibytes)) });
