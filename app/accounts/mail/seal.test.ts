import { expect, it } from "vitest";
import type { Message } from "./messages";
import { open, seal } from "./seal.server";

const config = { secret: "a secret of at least thirty-two characters, for tests" };
const message: Message = { kind: "signInLink", to: "ada@example.com", name: "Ada Lövelace", url: "https://atelier.example/secret-token" };

it("gives back what was sealed, and shows nothing of it meanwhile", () => {
  const sealed = seal(config, message);
  expect(open(config, sealed)).toEqual(message);
  const shown = Buffer.from(sealed, "base64").toString("latin1");
  for (const secret of ["ada@", "secret-token", "signInLink"]) expect(shown).not.toContain(secret);
  expect(seal(config, message)).not.toBe(sealed);
});

it("makes a message to nobody as long as one to somebody", () => {
  expect(open(config, seal(config, null))).toBeNull();
  const [nobody, somebody] = [seal(config, null), seal(config, message)].map((sealed) => sealed.length);
  expect(Math.abs((nobody ?? 0) - (somebody ?? 0))).toBeLessThan(24);
});

it("opens nothing that was altered, or sealed under another secret", () => {
  const bytes = Buffer.from(seal(config, message), "base64");
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  expect(() => open(config, bytes.toString("base64"))).toThrow(/authenticate/);
  expect(() => open({ secret: "another secret of thirty-two characters" }, seal(config, message))).toThrow(/authenticate/);
  expect(() => open(config, "")).toThrow(/initialization vector/);
});
