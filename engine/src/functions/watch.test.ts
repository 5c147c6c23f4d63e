import { expect, test } from "vitest";
import { CpuMark, Watch } from "./watch.ts";

const pair = (): [Watch, Watch] => {
  const transactor = new Watch();
  return [transactor, new Watch(transactor.memory)];
};
const wait = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("one side sees what runs on the other, and nothing between runs", () => {
  const [transactor, main] = pair();
  expect(main.observe()).toBeNull();
  transactor.begin(7, 2);
  expect(main.observe()).toMatchObject({ message: 7, call: 2 });
  transactor.end();
  expect(main.observe()).toBeNull();
});

test("time inside syscalls is not the function's", () => {
  const [transactor, main] = pair();
  const began = performance.now();
  transactor.begin(1, 0);
  wait(20);
  transactor.enterSyscall();
  const entered = performance.now() - began;
  wait(60);
  expect(main.observe()?.userMs).toBeGreaterThanOrEqual(19);
  expect(main.observe()?.userMs).toBeLessThanOrEqual(entered + 1);
  transactor.leaveSyscall();
  wait(20);
  const userMs = transactor.end();
  expect(userMs).toBeGreaterThanOrEqual(39);
  expect(performance.now() - began - userMs).toBeGreaterThanOrEqual(59);
});

test("a verdict meets the run that was observed, or none", () => {
  const [transactor, main] = pair();
  transactor.begin(1, 0);
  const first = main.observe()?.ticket ?? 0;
  transactor.end();
  expect(main.condemn(first)).toBe(false);
  transactor.begin(2, 0);
  expect(main.condemn(first)).toBe(false);
  expect(main.condemn(main.observe()?.ticket ?? 0)).toBe(true);
  expect(main.observe()).toBeNull();
});

test("runs that follow closely share one look at the processor's time, and none is held to have used more than that much of another's", () => {
  let cpu = 500;
  let looks = 0;
  const mark = new CpuMark(() => {
    looks += 1;
    return cpu;
  });
  for (let at = 0; at < 10; at++) mark.begin(1_000 + at);
  expect(looks).toBe(1);
  cpu += 9;
  expect(mark.sinceMs()).toBe(9);
  // A long run went before: nothing of it is the next one's.
  cpu += 900;
  mark.begin(2_000);
  expect(mark.sinceMs()).toBe(0);
  // The clock was set back.
  cpu += 900;
  mark.begin(100);
  expect(mark.sinceMs()).toBe(0);
});
