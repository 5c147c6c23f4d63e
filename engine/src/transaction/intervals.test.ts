import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareKeys } from "../values/keys.ts";
import { IntervalTree, type Interval } from "./intervals.ts";

const key = fc.array(fc.nat(3), { maxLength: 3 }).map((bytes) => Uint8Array.from(bytes));
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), low: key, high: key, token: fc.nat(5).map(String) }),
  fc.record({ do: fc.constant("remove" as const), which: fc.nat(30) }),
  fc.record({ do: fc.constant("collect" as const), key }),
);

test("finds exactly the intervals that contain a key", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tree = new IntervalTree();
      let list: { interval: Interval; token: string }[] = [];
      const messages: string[][] = [];
      const expected: string[][] = [];
      for (const step of steps) {
        if (step.do === "add") {
          const interval = tree.add(step.low, step.high, step.token);
          if (!list.some((known) => known.interval === interval && known.token === step.token)) list.push({ interval, token: step.token });
        } else if (step.do === "remove") {
          const known = list[step.which % Math.max(list.length, 1)];
          if (known === undefined) continue;
          tree.remove(known.interval, known.token);
          list = list.filter((other) => other !== known);
        } else {
          const found = new Set<string>();
          tree.collect(step.key, found);
          messages.push([...found].toSorted());
          const holding = list.filter(
            ({ interval }) => compareKeys(interval.low, step.key) <= 0 && compareKeys(step.key, interval.high) < 0,
          );
          expected.push([...new Set(holding.map(({ token }) => token))].toSorted());
        }
      }
      expect(messages).toEqual(expected);
      expect(tree.isEmpty).toBe(list.length === 0);
    }),
    { numRuns: 1_000 },
  );
});
