import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileBucketVariables, readFileBucketSettings } from "@atelier/engine/file-bucket-settings";
import { readBackupAccess } from "./backup-access.ts";
import { readFileBucket } from "./file-bucket.ts";
import { readConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { settings } from "./settings.ts";
import { makeSecrets } from "../deployment/secrets.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-config-"));
});
afterEach(() => rm(dir, { recursive: true }));

const read = (env: Record<string, string>) => readConfig({ DATA_DIR: join(dir, "data"), ...env }, { production: true });
const problems = (env: Record<string, string>) =>
  read(env).then(
    () => [],
    (error: unknown) => (error instanceof ConfigError ? error.problems : [String(error)]),
  );

describe("settings", () => {
  it("report an unusable DATA_DIR with the reason", async () => {
    const file = join(dir, "file");
    await writeFile(file, "");
    for (const [path, why] of [
      [file, "it is a file (EEXIST)"],
      [join(file, "below"), "a part of the path is a file (ENOTDIR)"],
    ] as const)
      expect(await problems({ DATA_DIR: path })).toEqual([`DATA_DIR is ${JSON.stringify(path)}; expected a writable folder, but ${why}`]);
  });
  it("have defaults for a single machine", async () => {
    const { server, app } = await read({});
    expect(server).toMatchObject({
      host: "127.0.0.1",
      port: 3000,
      origins: [],
      trustedProxyHops: 0,
      engine: { port: 3210, sitePort: 3211, dashboard: false },
    });
    expect(app).toMatchObject({
      production: true,
      origins: [],
      browserConvex: { kind: "sameOrigin", prefix: "/convex" },
      uploadMaxBytes: 50_000_000,
      payments: null,
      socialProviders: {},
      accounts: {
        emailAndPassword: true,
        requireEmailVerification: false,
        revokeSessionsOnPasswordReset: true,
        unlinkLast: false,
        trustedProviders: [],
        rateLimit: true,
      },
    });
  });

  it("accept an older database only up to a time in the past", async () => {
    const time = "2026-11-20T06:30:00.000Z";
    expect((await read({ ACCEPT_OLDER_DATABASE: time })).server.engine?.acceptOlderDatabase).toEqual(new Date(time));
    for (const value of ["true", "tomorrow", "9999-01-01T00:00:00.000Z"])
      expect(await problems({ ACCEPT_OLDER_DATABASE: value })).toEqual([expect.stringContaining("ACCEPT_OLDER_DATABASE is")]);
  });

  it("accept a schedule of backups, and reject a missing folder", async () => {
    const to = join(dir, "backups");
    expect(await problems({ BACKUP_TO: to })).toEqual([
      `BACKUP_TO is ${JSON.stringify(to)}; expected a writable folder, but it does not exist, or its disk is not mounted`,
    ]);
    await mkdir(to);
    const { server } = await read({ BACKUP_TO: to, BACKUP_SCHEDULE: "*/30 * * * *", BACKUP_KEEP: "3d 2w 0m" });
    expect(server.backups).toMatchObject({ to, s3: null, schedule: "*/30 * * * *", keep: { days: 3, weeks: 2, months: 0 } });
    expect((await read({})).server.backups).toBeNull();
  });

  it("accept a bucket for backups, whose keys can be in files", async () => {
    const secret = join(dir, "bucket-secret");
    await writeFile(secret, "s/e+cret\n");
    const env = { BACKUP_TO: "s3://bucket/a", BACKUP_S3_ACCESS_KEY_ID: "AKID", BACKUP_S3_SECRET_ACCESS_KEY_FILE: secret };
    const s3 = {
      endpoint: "https://s3.us-east-1.amazonaws.com",
      region: "us-east-1",
      accessKeyId: "AKID",
      secretAccessKey: "s/e+cret",
      pathStyle: true,
    };
    const { server, warnings } = await read(env);
    expect([server.backups, warnings]).toEqual([expect.objectContaining({ to: "s3://bucket/a", s3 }), []]);
    expect(await readBackupAccess(env)).toEqual({ s3, keys: { recipients: [], identities: [], passphrase: null } });
    const http = await read({ ...env, BACKUP_S3_ENDPOINT: "http://minio:9000/", BACKUP_S3_PATH_STYLE: "false" });
    expect(http.server.backups?.s3).toEqual({ ...s3, endpoint: "http://minio:9000", pathStyle: false });
    expect(http.warnings).toEqual([expect.stringContaining("BACKUP_S3_ENDPOINT has http")]);
    expect((await read({ ...env, BACKUP_S3_ENDPOINT: "http://127.0.0.1:9000" })).warnings).toEqual([]);
    expect(await problems({ ...env, BACKUP_S3_SECRET_ACCESS_KEY_FILE: "", BACKUP_S3_SECRET_ACCESS_KEY: "s e c r e t" })).toEqual([
      "BACKUP_S3_SECRET_ACCESS_KEY is invalid; expected a secret access key without spaces",
    ]);
    expect(await readBackupAccess({})).toMatchObject({ s3: null });
  });

  it("accept a bucket for stored files, whose keys can be in files", async () => {
    const secret = join(dir, "bucket-secret");
    await writeFile(secret, "s/e+cret\n");
    const env = { FILES_S3_LOCATION: "s3://bucket/a", FILES_S3_ACCESS_KEY_ID: "AKID", FILES_S3_SECRET_ACCESS_KEY_FILE: secret };
    const fileBucket = {
      location: "s3://bucket/a",
      s3: {
        endpoint: "https://s3.eu-west-1.amazonaws.com",
        region: "eu-west-1",
        accessKeyId: "AKID",
        secretAccessKey: "s/e+cret",
        pathStyle: true,
      },
      cacheBytes: 1_000_000,
      movesBack: true,
      takesOver: false,
    };
    const changed = { FILES_S3_REGION: "eu-west-1", FILES_S3_CACHE_BYTES: "1000000", FILES_S3_MOVE_BACK: "true" };
    expect((await read({ ...env, ...changed })).server.engine).toMatchObject({ fileBucket });
    expect(await readFileBucket({ ...env, ...changed })).toEqual(fileBucket);
    expect((await read({})).server.engine).toMatchObject({ fileBucket: null });
    expect(await readFileBucket({})).toBeNull();
    expect(fileBucketVariables(fileBucket)).toMatchObject(changed);
    expect(readFileBucketSettings(fileBucketVariables(fileBucket))).toEqual(fileBucket);
    expect(await problems({ ...env, FILES_S3_SECRET_ACCESS_KEY_FILE: "", FILES_S3_SECRET_ACCESS_KEY: "s e c r e t" })).toEqual([
      "FILES_S3_SECRET_ACCESS_KEY is invalid; expected a secret access key without spaces",
    ]);
    expect(await problems({ ...env, FILES_S3_LOCATION: "bucket/a" })).toEqual([
      'FILES_S3_LOCATION is "bucket/a"; expected a bucket, like s3://bucket/prefix',
    ]);
  });

  it("accept keys of backups, and never repeat them in errors", async () => {
    const recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
    const identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
    const { keys } = await readBackupAccess({ BACKUP_ENCRYPT_TO: ` ${recipient},${recipient}`, BACKUP_IDENTITY: `# key\n${identity}\n` });
    expect(keys).toEqual({ recipients: [recipient, recipient], identities: [identity], passphrase: null });
    const wrong = `${recipient.slice(0, -1)}q`;
    expect(await problems({ BACKUP_ENCRYPT_TO: wrong })).toEqual([
      `BACKUP_ENCRYPT_TO has "${wrong}"; expected age recipients, separated by commas, like age1…`,
    ]);
    for (const [name, value] of [
      ["BACKUP_IDENTITY", `${identity.slice(0, -1)}Q`],
      ["BACKUP_IDENTITY", "age1secret"],
      ["BACKUP_PASSPHRASE", "too short"],
    ] as const)
      expect(await problems({ [name]: value })).toEqual([
        expect.stringMatching(new RegExp(`^${name} is invalid; expected (?!.*${value})`)),
      ]);
  });

  it("count as missing when empty", async () => {
    expect((await read({ PORT: "", APP_URL: "" })).server.port).toBe(3000);
  });

  it("accept several origins in APP_URL, the first one for links without a request", async () => {
    const { server, app } = await read({ APP_URL: "https://atelier.example/, http://nas:3000,https://atelier.example" });
    const origins = ["https://atelier.example", "http://nas:3000"];
    expect([server.origins, app.origins, app.publicUrl, app.mailFrom]).toEqual([
      origins,
      origins,
      "https://atelier.example",
      "Atelier <no-reply@atelier.example>",
    ]);
  });

  it.each([
    ["PORT", "http", 'PORT is "http"; expected a whole number from 0 to 65535'],
    ["PORT", "65536", 'PORT is "65536"; expected a whole number from 0 to 65535'],
    ["PORT", "-1", 'PORT is "-1"; expected a whole number from 0 to 65535'],
    ["TRUSTED_PROXY_HOPS", "1.5", 'TRUSTED_PROXY_HOPS is "1.5"; expected a whole number from 0 to 10'],
    ["APP_URL", "atelier.example", 'APP_URL is "atelier.example"; expected an address that begins with http:// or https://'],
    [
      "APP_URL",
      "https://atelier.example/app",
      'APP_URL is "https://atelier.example/app"; expected an origin without a path, like https://atelier.example',
    ],
    [
      "ACCOUNTS_TRUSTED_PROVIDERS",
      "figma,myspace",
      'ACCOUNTS_TRUSTED_PROVIDERS is "figma,myspace"; expected ids of providers, separated by commas, like figma,notion',
    ],
    [
      "TRUSTED_ORIGINS",
      "https://a.example,b",
      'TRUSTED_ORIGINS is "https://a.example,b"; expected an address that begins with http:// or https://',
    ],
    [
      "BACKUP_TO",
      "backups",
      'BACKUP_TO is "backups"; expected the absolute path of a folder, like /srv/backups/atelier, or a bucket, like s3://bucket/prefix',
    ],
    [
      "BACKUP_TO",
      "s3://Bucket",
      'BACKUP_TO is "s3://Bucket"; expected the absolute path of a folder, like /srv/backups/atelier, or a bucket, like s3://bucket/prefix',
    ],
    [
      "BACKUP_SCHEDULE",
      "0 0 31 2 *",
      'BACKUP_SCHEDULE is "0 0 31 2 *"; expected a cron expression in UTC like 0 2 * * *, or @hourly, @daily or @weekly',
    ],
    ["BACKUP_KEEP", "7", 'BACKUP_KEEP is "7"; expected numbers of days, weeks and months, like 7d 4w 12m'],
    ["ACCOUNTS_LINKING", "maybe", 'ACCOUNTS_LINKING is "maybe"; expected true or false'],
    ["UPLOAD_MAX_BYTES", "50MB", 'UPLOAD_MAX_BYTES is "50MB"; expected a whole number from 1 to 9007199254740991'],
    ["LOG_LEVEL", "loud", 'LOG_LEVEL is "loud"; expected debug, info, warn, error or silent'],
    ["GITHUB_CLIENT_ID", "x", "GITHUB_CLIENT_SECRET is missing: sign-in with github needs it"],
    [
      "ACCOUNTS_REQUIRE_EMAIL_VERIFICATION",
      "true",
      "SMTP_URL is missing: ACCOUNTS_REQUIRE_EMAIL_VERIFICATION=true requires it, because links to verify addresses are sent by email",
    ],
    ["COGNITO_REGION", "eu-west-1", "COGNITO_DOMAIN is missing: sign-in with cognito needs it"],
  ])("are reported with the expected format: %s=%s", async (name, value, message) => {
    expect(await problems({ [name]: value })).toContain(message);
  });

  it.each(Object.keys(settings.shape).filter((name) => name !== "DATA_DIR"))(
    "%s: an invalid value is reported with the expected format",
    async (name) => {
      const messages = (await problems({ [name]: "no such (value" })).filter((problem) => problem.startsWith(`${name} `));
      expect(messages).toEqual([expect.stringMatching(/^\w+ is (?:"no such \(value"|invalid); expected [a-z]./)]);
    },
  );

  it("never repeat a secret in an error message", { tags: "@never-repeat-secret-error-message" }, async () => {
    for (const name of ["BETTER_AUTH_SECRET", "TOKEN_SIGNING_KEY", "SMTP_URL", "METRICS_TOKEN"]) {
      const [reported] = await problems({ [name]: "hunter2" });
      expect(reported).toMatch(new RegExp(`^${name} is invalid; expected `));
      expect(reported).not.toContain("hunter2");
    }
  });

  it("read a secret from the file that NAME_FILE names", { tags: "@secrets-in-files" }, async () => {
    const file = join(dir, "secret");
    const secret = "s".repeat(40);
    await writeFile(file, `${secret}\n`);
    const { server, app } = await read({
      METRICS_TOKEN_FILE: file,
      BETTER_AUTH_SECRET_FILE: file,
      GITHUB_CLIENT_ID: "x",
      GITHUB_CLIENT_SECRET_FILE: file,
    });
    expect([server.metrics.token, app.secret, app.socialProviders["github"]?.["clientSecret"]]).toEqual([secret, secret, secret]);
  });

  it("report a secret's file that is missing, a folder, empty or given twice", async () => {
    const empty = join(dir, "empty");
    await writeFile(empty, "\n");
    const missing = join(dir, "missing");
    expect(
      await problems({
        SMTP_URL_FILE: missing,
        METRICS_TOKEN_FILE: dir,
        STRIPE_SECRET_KEY_FILE: empty,
        TOKEN_SIGNING_KEY: "x",
        TOKEN_SIGNING_KEY_FILE: empty,
      }),
    ).toEqual(
      expect.arrayContaining([
        `SMTP_URL_FILE is ${JSON.stringify(missing)}; expected a readable file, but there is no such file (ENOENT)`,
        `METRICS_TOKEN_FILE is ${JSON.stringify(dir)}; expected a readable file, but it is a folder (EISDIR)`,
        `STRIPE_SECRET_KEY_FILE is ${JSON.stringify(empty)}; expected a secret in this file, but it is empty`,
        "TOKEN_SIGNING_KEY and TOKEN_SIGNING_KEY_FILE are both set; expected one of them",
      ]),
    );
  });

  it("report all problems at once", async () => {
    expect(await problems({ PORT: "x", HOST: "localhost", ACCOUNTS_LINKING: "x", VK_CLIENT_ID: "x" })).toHaveLength(3);
  });

  it("include OpenID Connect issuers, with the secret in a file", async () => {
    const file = join(dir, "secret");
    await writeFile(file, "s3cret\n");
    const env = { OIDC_ACME_ISSUER: "https://id.acme.example", OIDC_ACME_CLIENT_ID: "x", OIDC_ACME_CLIENT_SECRET_FILE: file };
    expect((await read(env)).app.issuers).toMatchObject([{ id: "oidc-acme", clientSecret: "s3cret" }]);
    expect(await problems({ ...env, OIDC_ACME_GROUP: "x" })).toEqual([expect.stringContaining("OIDC_ACME_GROUP is not a setting")]);
  });

  it("map provider variables to Better Auth's options", async () => {
    const { app } = await read({ TIKTOK_CLIENT_KEY: "k", TIKTOK_CLIENT_SECRET: "s", PAYPAL_CLIENT_ID: "i", PAYPAL_CLIENT_SECRET: "s" });
    expect(app.socialProviders).toEqual({
      tiktok: { clientKey: "k", clientSecret: "s" },
      paypal: { clientId: "i", clientSecret: "s", environment: "sandbox" },
    });
  });

  it.each(["BETTER_AUTH_TELEMETRY", "BETTER_AUTH_TRUSTED_ORIGINS", "BETTER_AUTH_SECRETS", "BETTER_AUTH_URL"])(
    "remove %s, which Better Auth would read itself",
    { tags: "@remove-which-better-auth-would-read" },
    async (name) => {
      const env = { DATA_DIR: join(dir, "data"), [name]: "1" };
      expect((await readConfig(env, { production: true })).warnings).toEqual([expect.stringContaining(name)]);
      expect(env).not.toHaveProperty(name);
    },
  );

  it("match the table of docs/configuration.md", { tags: "@match-table-docs-configuration-md" }, async () => {
    const document = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const [variables = ""] = document.split("\n## ", 1);
    const table = [...variables.matchAll(/^\| `([A-Z_\d]+)` +\|/gm)].map(([, name]) => String(name));
    expect(table.toSorted()).toEqual(Object.keys(settings.shape).toSorted());
  });

  it("have the documented defaults", async () => {
    const document = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const documented = Object.fromEntries(
      [...document.matchAll(/^\| `([A-Z_\d]+)` +\| `([^`]+)` +\|/gm)].map(([, name, value]) => [name, value]),
    );
    const defaults = Object.entries(settings.parse({})).flatMap(([name, value]) => (typeof value === "object" ? [] : [[name, `${value}`]]));
    expect(documented).toMatchObject(Object.fromEntries(defaults));
  });
});

describe("payments", () => {
  const all = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1", STRIPE_PRO_PRICE: "price_1" };

  it("are enabled with all settings, in the sandbox by default", async () => {
    expect((await read(all)).app.payments).toEqual({
      secretKey: "sk_test_1",
      webhookSecret: "whsec_1",
      proPrice: "price_1",
      proAnnualPrice: null,
    });
    const live = { ...all, STRIPE_SECRET_KEY: "rk_live_1", STRIPE_PRO_ANNUAL_PRICE: "price_2" };
    expect(await problems(live)).toEqual([expect.stringContaining("set STRIPE_ENVIRONMENT=live")]);
    expect((await read({ ...live, STRIPE_ENVIRONMENT: "live" })).app.payments).toMatchObject({ proAnnualPrice: "price_2" });
    expect(await problems({ ...all, STRIPE_ENVIRONMENT: "live" })).toEqual([expect.stringContaining("a test key")]);
  });

  it("report missing settings", async () => {
    expect(await problems({ STRIPE_SECRET_KEY: "sk_test_1" })).toEqual([
      expect.stringContaining("STRIPE_WEBHOOK_SECRET is missing"),
      expect.stringContaining("STRIPE_PRO_PRICE is missing"),
    ]);
    expect(await problems({ ...all, STRIPE_SECRET_KEY: "pk_test_1" })).toEqual([expect.stringContaining("a secret or restricted key")]);
  });
});

describe("secrets", () => {
  it(
    "are created at the first start, readable only by their owner, and kept",
    { tags: "@created-first-start-readable-only-owner" },
    async () => {
      const first = await read({});
      const second = await read({});
      expect(second.app.secret).toBe(first.app.secret);
      expect(second.app.signingKey).toEqual(first.app.signingKey);
      expect(second.server.engine?.adminKey).toMatch(/^atelier\|[0-9a-f]{64}$/);
      expect((await stat(join(dir, "data/secrets.json"))).mode & 0o777).toBe(0o600);
    },
  );

  it("are the same for two concurrent starts", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => read({})));
    expect(new Set(all.map(({ app }) => app.secret)).size).toBe(1);
  });

  it("are not replaced for existing data without MAKE_NEW_KEYS", async () => {
    await mkdir(join(dir, "data/convex"), { recursive: true });
    await writeFile(join(dir, "data/convex/deployment.sqlite3"), "data");
    expect(await problems({})).toEqual([expect.stringMatching(/secrets\.json is missing, but there is data in .*MAKE_NEW_KEYS=true/)]);
    await read({ MAKE_NEW_KEYS: "true" });
    await read({});
  });

  it("are not replaced when the file is invalid", async () => {
    await read({});
    await writeFile(join(dir, "data/secrets.json"), "{");
    expect(await problems({})).toEqual([expect.stringContaining("cannot be parsed")]);
  });

  it("are required for a remote deployment, and are not stored", { tags: "@must-given-remote-deployment-not-stored" }, async () => {
    const remote = { CONVEX_URL: "https://happy-otter-1.convex.cloud" };
    expect(await problems(remote)).toEqual([
      "BETTER_AUTH_SECRET is missing: CONVEX_URL requires it (the first npm run setup:convex prints one)",
      "TOKEN_SIGNING_KEY is missing: CONVEX_URL requires it (the first npm run setup:convex prints one)",
    ]);
    const { secret, signingKey } = await makeSecrets();
    const { server, app } = await read({ ...remote, BETTER_AUTH_SECRET: secret, TOKEN_SIGNING_KEY: JSON.stringify(signingKey) });
    expect(server.engine).toBeNull();
    expect(app).toMatchObject({
      convexUrl: remote.CONVEX_URL,
      browserConvex: { kind: "direct", url: remote.CONVEX_URL },
      secret,
      signingKey,
    });
    const inside = { CONVEX_INTERNAL_URL: "http://convex:3210", BETTER_AUTH_SECRET: secret, TOKEN_SIGNING_KEY: JSON.stringify(signingKey) };
    expect((await read({ ...remote, ...inside })).app).toMatchObject({
      convexUrl: inside.CONVEX_INTERNAL_URL,
      browserConvex: { kind: "direct", url: remote.CONVEX_URL },
    });
    await expect(stat(join(dir, "data"))).rejects.toThrow("ENOENT");
  });
});
