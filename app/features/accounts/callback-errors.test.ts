import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADDED_CODES, adviceFor, REPLACED_CODES, SPECIFIED_CODES } from "./callback-errors";

const DIST = new URL("../../../node_modules/better-auth/dist/", import.meta.url);
const source = (path: string) => readFileSync(new URL(path, DIST), "utf8");
const found = (path: string, pattern: RegExp) => [...source(path).matchAll(pattern)].map(([, code = ""]) => code.replaceAll(" ", "_"));

function codesOfBetterAuth(): string[] {
  const [, table = ""] = /OAUTH_CALLBACK_ERROR_CODES = \{([^}]*)\}/.exec(source("oauth2/errors.mjs")) ?? [];
  return [
    ...[...table.matchAll(/: "([a-z_]+)"/g)].map(([, code = ""]) => code),
    ...["oauth2/link-account.mjs", "oauth2/callback.mjs", "api/routes/callback.mjs"].flatMap((path) =>
      found(path, /\berror: "([a-z_ ]+)"/g),
    ),
    ...["oauth2/link-account.mjs", "oauth2/state.mjs", "state.mjs", "utils/validate-user-info.mjs", "db/internal-adapter.mjs"].flatMap(
      (path) => found(path, /\bcode(?:: | = )"([a-z_]+)"/g),
    ),
    ...["oauth2/link-account.mjs", "oauth2/state.mjs", "api/routes/callback.mjs"].flatMap((path) =>
      found(path, /redirectOnError\([^;]*?"([a-z]+_[a-z_]+)"/g),
    ),
  ];
}

describe("error codes of provider callbacks (specification 8)", () => {
  const shown: string[] = [...SPECIFIED_CODES, ...ADDED_CODES];

  it("covers every code in the sources of the installed Better Auth", { tags: "@covers-every-code-sources-installed-better" }, () => {
    const codes = [...new Set(codesOfBetterAuth())];
    // Checks the extraction: a table, a sentence, a thrown code and a literal.
    expect(codes).toEqual(expect.arrayContaining(["email_does_not_match", "signup_disabled", "state_mismatch", "internal_server_error"]));
    expect(codes.filter((code) => !shown.includes(code) && !Object.hasOwn(REPLACED_CODES, code))).toEqual([]);
    expect(Object.keys(REPLACED_CODES).filter((code) => !codes.includes(code))).toEqual([]);
  });

  it("replaces no code that is shown", () => {
    expect(shown.filter((code) => Object.hasOwn(REPLACED_CODES, code))).toEqual([]);
  });

  it("has advice for every shown code, but not for a provider's own codes", () => {
    for (const code of shown) expect(adviceFor(code, { linking: true }), code).not.toBeNull();
    expect(adviceFor("toString", { linking: true })).toBeNull();
  });

  it("does not advise linking when linking is disabled", () => {
    expect(adviceFor("unable_to_link_account", { linking: false })).toContain("does not allow linking");
    expect(adviceFor("no_code", { linking: false })).toBe(adviceFor("no_code", { linking: true }));
  });
});
