import { expect, it } from "vitest";
import { createInFlight } from "./in-flight.ts";

it("counts unread bytes by the client's pongs, and sends a ping after enough bytes", () => {
  const requested: string[] = [];
  const inFlight = createInFlight((mark) => requested.push(mark));
  const send = (bytes: number) => {
    inFlight.handedOver(bytes);
    inFlight.left(bytes);
    inFlight.pingAfter(100);
  };
  send(60);
  expect([inFlight.unread, requested]).toEqual([60, []]);
  send(60);
  send(30);
  expect([inFlight.unread, requested]).toEqual([150, ["120"]]);
  inFlight.answered("120");
  expect(inFlight.unread).toBe(30);
  inFlight.ping();
  inFlight.answered("150");
  expect([inFlight.unread, requested]).toEqual([0, ["120", "150"]]);
});

it("ignores pongs with an invalid number of bytes", () => {
  const inFlight = createInFlight(() => {});
  inFlight.handedOver(1000);
  inFlight.left(400);
  for (const mark of ["1000", "1e9", "Infinity"]) inFlight.answered(mark);
  expect([inFlight.unread, inFlight.unsent]).toEqual([600, 600]);
  for (const mark of ["", "-5", "hello", "NaN", "300"]) inFlight.answered(mark);
  expect(inFlight.unread).toBe(600);
});
