import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADDED_CODES, adviceFor, REPLACED_CODES, SPECIFIED_CODES } from "./callback-errors";

const DIST = new URL("../../../node_modules/better-auth/dist/", import.meta.url);
const CALLBACK = "api/routes/callback.mjs";

const OTHER_ENDPOINTS = [
  "api/middlewares/origin-check.mjs",
  "api/routes/email-verification.mjs",
  "api/routes/session.mjs",
  "db/schema.mjs",
];

/** Codes are literals, or the last argument of a redirect. Better Auth replaces the spaces of a sentence by underscores. */
const LITERALS = [/\b(?:error|code)(?:: | = )"([A-Za-z_ ]+)"/g, /\bredirectOnError\([^;"]*"([A-Za-z_]+)"/g];

function sourcesOfCallback(): Map<string, string> {
  const sources = new Map<string, string>();
  const read = (module: URL): void => {
    const path = module.href.slice(DIST.href.length);
    if (sources.has(path)) return;
    const source = readFileSync(module, "utf8");
    sources.set(path, source);
    for (const [, imported = ""] of source.matchAll(/from "(\.[^"]+)"/g)) read(new URL(imported, module));
  };
  read(new URL(CALLBACK, DIST));
  return sources;
}

function codesOfBetterAuth(): string[] {
  const sources = sourcesOfCallback();
  expect([...sources.keys()]).toEqual(expect.arrayContaining(OTHER_ENDPOINTS));
  for (const path of OTHER_ENDPOINTS) sources.delete(path);
  const [, table = ""] = /OAUTH_CALLBACK_ERROR_CODES = \{([^}]*)\}/.exec(sources.get("oauth2/errors.mjs") ?? "") ?? [];
  return [
    ...[...table.matchAll(/: "([a-z_]+)"/g)].map(([, code = ""]) => code),
    ...[...sources.values()].flatMap((source) =>
      LITERALS.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code = ""]) => code.replaceAll(" ", "_"))),
    ),
  ];
}

describe("error codes of provider callbacks (specification 8)", () => {
  const shown: string[] = [...SPECIFIED_CODES, ...ADDED_CODES];

  it("covers every code in the sources of the installed Better Auth", { tags: "@covers-every-code-sources-installed-better" }, () => {
    const codes = [...new Set(codesOfBetterAuth())];
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
