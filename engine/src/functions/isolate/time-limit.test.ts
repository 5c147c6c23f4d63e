import { expect, test } from "vitest";
import { CpuMark, Watch } from "./time-limit.ts";

const pair = (): [Watch, Watch] => {
  const transactor = new Watch();
  return [transactor, new Watch(transactor.memory)];
};
const wait = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("observes the running call of the other thread", () => {
  const [transactor, main] = pair();
  expect(main.observe()).toBeNull();
  transactor.begin(7, 2);
  expect(main.observe()).toMatchObject({ message: 7, call: 2 });
  transactor.end();
  expect(main.observe()).toBeNull();
});

test("counts syscalls as progress", () => {
  const [transactor, main] = pair();
  transactor.begin(1, 0);
  const before = main.progress;
  transactor.enterSyscall();
  transactor.leaveSyscall();
  expect(main.progress).toBeGreaterThan(before);
});

test("excludes time inside syscalls", () => {
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

test("stops only the observed run", () => {
  const [transactor, main] = pair();
  transactor.begin(1, 0);
  const first = main.observe()?.ticket ?? 0;
  transactor.end();
  expect(main.stopRun(first)).toBe(false);
  transactor.begin(2, 0);
  expect(main.stopRun(first)).toBe(false);
  expect(main.stopRun(main.observe()?.ticket ?? 0)).toBe(true);
  expect(main.observe()).toBeNull();
});

test("shares CPU readings between consecutive runs with a bounded error", () => {
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
  cpu += 900;
  mark.begin(2_000);
  expect(mark.sinceMs()).toBe(0);
  cpu += 900;
  mark.begin(100);
  expect(mark.sinceMs()).toBe(0);
});
