import { expect, it } from "vitest";
import { errorName, isPermanentRejection } from "./transport.server";

const answered = (responseCode: number, code = "EENVELOPE") =>
  Object.assign(new Error(`${responseCode} ada@example.com is unknown`), { responseCode, code });

it.each([
  [answered(550), true],
  [answered(552, "EMESSAGE"), true],
  [answered(450), false],
  [answered(530, "EAUTH"), false],
  [answered(535, "EAUTH"), false],
  [Object.assign(new Error("connect ECONNREFUSED"), { code: "ESOCKET" }), false],
  ["no error at all", false],
])("%s: permanently rejected? %s", (error, forGood) => {
  expect(isPermanentRejection(error)).toBe(forGood);
});

it("reports a mail error by its code only, without addresses", () => {
  expect(errorName(answered(550))).toBe("EENVELOPE 550");
  expect(errorName(new TypeError("ada@example.com"))).toBe("TypeError");
  expect(errorName("ada@example.com")).toBe("unknown");
});
