import { isPreload } from "~/lib/data/preload";

export type OnceValues = readonly string[];

/** Ignores single-use values and query timestamps, which no server rendering reads (`useLive`); compares other objects by identity. */
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
