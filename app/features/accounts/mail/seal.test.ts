import { expect, it } from "vitest";
import type { Message } from "./messages";
import { openMessage, sealMessage } from "./seal.server";

const config = { secret: "a secret of at least thirty-two characters, for tests" };
const message: Message = { kind: "signInLink", to: "ada@example.com", name: "Ada Lövelace", url: "https://atelier.example/secret-token" };

it("encrypts a message, reveals none of its texts, and decrypts it unchanged", { tags: "@decrypts-message-reveals-nothing-before" }, () => {
  const sealed = sealMessage(config, message);
  expect(openMessage(config, sealed)).toEqual(message);
  const shown = Buffer.from(sealed, "base64").toString("latin1");
  for (const secret of ["ada@", "secret-token", "signInLink"]) expect(shown).not.toContain(secret);
  expect(sealMessage(config, message)).not.toBe(sealed);
});

it("gives a message without a recipient the length of a real one", () => {
  expect(openMessage(config, sealMessage(config, null))).toBeNull();
  const [nobody, somebody] = [sealMessage(config, null), sealMessage(config, message)].map((sealed) => sealed.length);
  expect(Math.abs((nobody ?? 0) - (somebody ?? 0))).toBeLessThan(24);
});

it("rejects altered messages and other secrets", { tags: "@rejects-altered-messages-other-secrets" }, () => {
  const bytes = Buffer.from(sealMessage(config, message), "base64");
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  expect(() => openMessage(config, bytes.toString("base64"))).toThrow(/authenticate/);
  expect(() => openMessage({ secret: "another secret of thirty-two characters" }, sealMessage(config, message))).toThrow(/authenticate/);
  expect(() => openMessage(config, "")).toThrow(/initialization vector/);
});
