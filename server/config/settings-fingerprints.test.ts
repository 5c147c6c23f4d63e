import { expect, it } from "vitest";
import { settingsFingerprints } from "./settings-fingerprints.ts";

const SECRET = "a secret of at least thirty-two characters";
const isSetting = (name: string) => name !== "PATH";
const of = (env: Record<string, string | undefined>, secret = SECRET) => settingsFingerprints(env, isSetting, secret);

it("hashes each setting with its name and the secret, and reveals no value", () => {
  const first = of({ PORT: "3000", HOST: "3000", SMTP_URL: undefined, PATH: "/bin" });
  expect(Object.keys(first).toSorted()).toEqual(["BETTER_AUTH_SECRET", "HOST", "PORT"]);
  expect(of({ PORT: "3000", HOST: "3000" })).toEqual(first);
  expect(new Set([first["PORT"], first["HOST"], of({ PORT: "3001" })["PORT"], of({ PORT: "3000" }, `${SECRET}!`)["PORT"]]).size).toBe(4);
  expect(JSON.stringify(of({ BETTER_AUTH_SECRET: SECRET, PORT: "3000" }))).not.toMatch(/3000|thirty/);
});

it("compares the secret also when it is not a setting", () => {
  expect(of({})["BETTER_AUTH_SECRET"]).not.toBe(of({}, `${SECRET}!`)["BETTER_AUTH_SECRET"]);
  expect(of({ BETTER_AUTH_SECRET: SECRET })).toEqual(of({}));
});
