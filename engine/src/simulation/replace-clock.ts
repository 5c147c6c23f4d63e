export function replaceClock(now: (actual: () => number) => number): void {
  const RealDate = Date;
  const actual = RealDate.now.bind(RealDate);
  const current = (): number => now(actual);
  function ReplacedDate(...args: unknown[]): unknown {
    if (!new.target) return new RealDate(current()).toString();
    return Reflect.construct(RealDate, args.length === 0 ? [current()] : args, new.target === ReplacedDate ? RealDate : new.target);
  }
  ReplacedDate.prototype = RealDate.prototype;
  Object.defineProperty(ReplacedDate, "name", { value: "Date" });
  Object.defineProperty(ReplacedDate, "length", { value: 7 });
  Object.assign(ReplacedDate, { now: current, parse: RealDate.parse, UTC: RealDate.UTC });
  Object.defineProperty(RealDate.prototype, "constructor", { value: ReplacedDate, configurable: true, writable: true });
  Object.defineProperty(globalThis, "Date", { value: ReplacedDate, configurable: true, writable: true, enumerable: false });
}
