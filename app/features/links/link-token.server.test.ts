import { expect, it } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { createLinkToken, hashLinkToken, isLinkToken, linkAddress } from "./link-token.server";

it("a token has 131 bits, and is stored as a hash and encrypted", () => {
  const { token, tokenHash, sealedToken } = createLinkToken(testConfig);
  expect(token).toMatch(/^[A-Za-z0-9]{22}$/);
  expect([isLinkToken(token), isLinkToken(`${token}x`), isLinkToken("../projects"), isLinkToken(undefined)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(tokenHash).toBe(hashLinkToken(token));
  expect(sealedToken).not.toContain(token);
  expect(linkAddress(testConfig, sealedToken)).toBe(`https://atelier.example/s/${token}`);
  expect(linkAddress({ ...testConfig, secret: "another secret of more than 32 characters" }, sealedToken)).toBeNull();
});
