import { isPreload } from "~/data/preload";

/** Values that a request's loaders made for this one answer, in the order in which they were made (`once.server.ts`). */
export type OnceValues = readonly string[];

/**
 * Whether two requests' loaders gave the same, value by value, so that the pages made of it are the same. What is no plain data (a promise, a date, a
 * class of its own) is like nothing but itself. Two things are left out: values made for one answer alone, which stand in for each other, and the time at
 * which a query's answer held, which no rendering on the server reads (`useLive`), and which is another one with whatever is written by anybody.
 */
export function sameData(one: unknown, other: unknown, once: { one: OnceValues; other: OnceValues }): boolean {
  if (typeof one === "string" && typeof other === "string") {
    const at = once.one.indexOf(one);
    return at === once.other.indexOf(other) && (at >= 0 || one === other);
  }
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((value, index) => sameData(value, other[index], once));
  if (!isPlainObject(one) || !isPlainObject(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  const timed = isPreload(one) && isPreload(other);
  return names.every((name) => Object.hasOwn(other, name) && ((timed && name === "ts") || sameData(one[name], other[name], once)));
}

/** Whether it is plain data through and through, which stays as it is and can be known again. */
export function isPlainData(value: unknown): boolean {
  if (value === null || typeof value !== "object") return typeof value !== "function" && typeof value !== "symbol";
  if (Array.isArray(value)) return value.every(isPlainData);
  return isPlainObject(value) && Object.values(value).every(isPlainData);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
