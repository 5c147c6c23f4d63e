import { expect, it } from "vitest";
import { faultName, isRefusedForGood } from "./transport.server";

const answered = (responseCode: number, code = "EENVELOPE") =>
  Object.assign(new Error(`${responseCode} ada@example.com is unknown`), { responseCode, code });

it.each([
  [answered(550), true],
  [answered(552, "EMESSAGE"), true],
  [answered(450), false],
  // These are about our settings: the mail itself may well be taken tomorrow.
  [answered(530, "EAUTH"), false],
  [answered(535, "EAUTH"), false],
  [Object.assign(new Error("connect ECONNREFUSED"), { code: "ESOCKET" }), false],
  ["no error at all", false],
])("%s: refused for good? %s", (error, forGood) => {
  expect(isRefusedForGood(error)).toBe(forGood);
});

it("names a fault without the addresses that mail servers repeat", () => {
  expect(faultName(answered(550))).toBe("EENVELOPE 550");
  expect(faultName(new TypeError("ada@example.com"))).toBe("TypeError");
  expect(faultName("ada@example.com")).toBe("unknown");
});
