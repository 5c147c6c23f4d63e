import { expect, it } from "vitest";
import { mailProviderLink } from "./mail-provider-link";

it.each([
  [{ smtpUrl: "smtp://localhost", production: true }, "smtp"],
  [{ smtpUrl: "smtp://localhost", production: false }, "smtp"],
  [{ smtpUrl: null, production: false }, "outbox"],
  [{ smtpUrl: null, production: true }, null],
])("with %j, the transport is %j", (config, way) => {
  expect(mailProviderLink(config)).toBe(way);
});
