import type { Selection } from "./use-selection";

export function isSameItem<Props extends { selection: Selection }>(idIn: (props: Props) => string) {
  return (before: Props, now: Props): boolean => {
    const [one, other] = [before.selection, now.selection];
    if (one !== other && (one.on !== other.on || one.has(idIn(before)) !== other.has(idIn(now)))) return false;
    const { selection: _, ...propsBefore } = before;
    const { selection: __, ...propsNow } = now;
    return isShallowlyEqual(propsBefore, propsNow);
  };
}

const isShallowlyEqual = (one: object, other: object) => {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([name, value]) => others.has(name) && Object.is(value, others.get(name)));
};
