import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { settings } from "./settings.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-shown-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function shown(env: Record<string, string>, envFile = "") {
  await writeFile(join(dir, ".env"), envFile);
  const given = { DATA_DIR: join(dir, "data"), ...env };
  const { app } = await readConfig(given, { production: true, envFile: join(dir, ".env") });
  return { all: app.shownSettings, of: (name: string) => app.shownSettings.find((each) => each.name === name) };
}

describe("shownSettings", () => {
  it("names the source of each effective value", { tags: "@shows-sources-of-settings" }, async () => {
    const { all, of } = await shown({ PORT: "4000", LOG_LEVEL: "warn", HOST: "0.0.0.0" }, "LOG_LEVEL=warn\nHOST=127.0.0.1\n");
    expect(of("PORT")).toEqual({ name: "PORT", value: "4000", isSecret: false, source: "environment" });
    expect(of("LOG_LEVEL")).toMatchObject({ value: "warn", source: "envFile" });
    expect(of("HOST"), "the environment wins").toMatchObject({ value: "0.0.0.0", source: "environment" });
    expect(of("BACKUP_KEEP")).toMatchObject({ value: "7d 4w 12m", source: "default" });
    expect(of("ACCOUNTS_EMAIL_AND_PASSWORD")).toMatchObject({ value: "true", isSecret: false });
    expect(of("APP_URL")).toMatchObject({ value: null, source: "default" });
    expect(of("MAIL_FROM")).toMatchObject({ value: "Atelier <no-reply@localhost>", source: "default" });
    expect(of("BETTER_AUTH_SECRET")).toEqual({ name: "BETTER_AUTH_SECRET", value: null, isSecret: true, source: "dataDir" });
    expect(all.map(({ name }) => name)).toEqual(Object.keys(settings.shape));
  });

  it("hides secrets, also those of providers, issuers and files", { tags: "@hides-secret-settings" }, async () => {
    const secret = "a very secret value of thirty-two or more characters";
    await writeFile(join(dir, "token"), secret);
    const { all, of } = await shown({
      METRICS_TOKEN_FILE: join(dir, "token"),
      BETTER_AUTH_SECRET: secret,
      SMTP_URL: `smtps://user:${encodeURIComponent(secret)}@mail.example`,
      GITHUB_CLIENT_ID: "the id",
      GITHUB_CLIENT_SECRET: secret,
      OIDC_ACME_ISSUER: "https://login.acme.example",
      OIDC_ACME_CLIENT_ID: "acme",
      OIDC_ACME_CLIENT_SECRET: secret,
      UNRELATED: secret,
    });
    expect(of("METRICS_TOKEN")).toMatchObject({ isSecret: true, value: null, source: "secretFile" });
    expect(of("SMTP_URL")).toMatchObject({ isSecret: true, value: null, source: "environment" });
    expect(of("GITHUB_CLIENT_ID")).toMatchObject({ value: "the id", source: "environment" });
    expect(of("OIDC_ACME_CLIENT_SECRET")).toMatchObject({ isSecret: true, source: "environment" });
    expect(of("UNRELATED")).toBeUndefined();
    expect(JSON.stringify(all)).not.toContain("very");
  });
});
