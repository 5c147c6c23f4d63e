import { randomUUID } from "node:crypto";
import { freePort, type RunningApp, startApp } from "../../harness/app.ts";
import { expect, test as base } from "../support/mailed.ts";
import { Program, text, through } from "../support/program.ts";

const test = base.extend<{ second: RunningApp }, object>({
  app: [
    async ({ social, mailbox }, use) => {
      const port = await freePort();
      const APP_URL = `http://localhost:${port},http://127.0.0.1:${port}`;
      const app = await startApp({ ...social.settings, SMTP_URL: mailbox.url, PORT: String(port), APP_URL });
      await use(app);
      await app.dispose();
    },
    { scope: "worker" },
  ],
  second: async ({ app }, use) => use({ ...app, url: app.url.replace("localhost", "127.0.0.1") }),
});

const PASSWORD = "correct horse battery staple";
const form = { "Content-Type": "application/x-www-form-urlencoded" };

test("signs up, in and out at each origin, with cookies of its own", async ({ app, second }) => {
  for (const at of [app, second]) {
    const program = new Program(at);
    const email = `${randomUUID()}@example.com`;
    expect((await program.post("/sign-up/email", { name: "Ada", email, password: PASSWORD })).status).toBe(200);
    expect(await program.signedIn()).toBe(true);
    const page = await program.send("POST", `${at.url}/projects`, "intent=createProject&name=Poster", form);
    expect(page.status).toBe(303);
    expect((await program.post("/sign-out")).status).toBe(200);
    expect((await program.post("/sign-in/email", { email, password: PASSWORD })).status).toBe(200);
  }
});

test(
  "rejects a form that a page of one origin sends to the other",
  { tag: "@rejects-form-page-origin-sends-other" },
  async ({ app, second }) => {
    const program = new Program(app);
    await program.post("/sign-up/email", { name: "Ada", email: `${randomUUID()}@example.com`, password: PASSWORD });
    const foreign = { ...form, Origin: second.url };
    expect((await program.send("POST", `${app.url}/projects`, "intent=createProject&name=Poster", foreign)).status).toBe(403);
    expect((await program.post("/update-user", { name: "Eve" }, { Origin: second.url })).status).toBe(403);
  },
);

test("emails links to the first origin, whichever was requested", async ({ app, second, linkTo }) => {
  const program = new Program(second);
  const email = `${randomUUID()}@example.com`;
  await program.post("/sign-up/email", { name: "Ada", email, password: PASSWORD });
  await program.post("/request-password-reset", { email, redirectTo: `${second.url}/reset-password` });
  const link = await linkTo(email, "/reset-password/");
  expect(new URL(link).origin).toBe(app.url);
  expect((await program.get(link)).location).toMatch(new RegExp(`^${second.url}/reset-password\\?token=`));
});

for (const provider of ["google", "gitlab"] as const)
  test(`signs in by ${provider} at the second origin through the first one's callback`, async ({ app, second, social }) => {
    const program = new Program(second);
    const start = await program.post("/sign-in/social", { provider, callbackURL: "/projects" });
    const requested = new URL(text(start, "url"));
    expect(requested.searchParams.get("redirect_uri")).toBe(`${app.url}/api/auth/callback/${provider}`);
    const back = await social.consent(requested.href, social.identity());
    const onward = (await new Program(app).get(back)).location ?? "";
    expect(onward.startsWith(`${second.url}/api/auth/callback/${provider}?`)).toBe(true);
    expect((await new Program(second).get(onward)).location).toContain("error=");
    expect(await program.signedIn()).toBe(false);

    const again = await through(program, social, social.identity(), { provider });
    expect(again?.startsWith(second.url)).toBe(true);
    expect((await program.get(again ?? "")).location).toBe("/projects");
    expect(await program.signedIn()).toBe(true);
  });

test(
  "links an account of a provider at the second origin",
  { tag: "@links-account-provider-second-origin" },
  async ({ second, social }) => {
    const program = new Program(second);
    const email = `${randomUUID()}@example.com`;
    await program.post("/sign-up/email", { name: "Ada", email, password: PASSWORD });
    const onward = await through(program, social, social.identity({ email }), { path: "/link-social", body: { callbackURL: "/account" } });
    expect((await program.get(onward ?? "")).location).toBe("/account");
    expect(text(await program.get("/list-accounts"), 1, "providerId")).toBe("google");
  },
);

test("redirects no callback to an origin outside APP_URL", async ({ app }) => {
  for (const state of ["x~2", "x~999", "x~-1", "~1", "x~1~"]) {
    const { location } = await new Program(app).get(`/callback/google?code=a&${new URLSearchParams({ state })}`);
    expect(location, state).toMatch(/^\/error\?error=|^http:\/\/localhost:\d+\/error\?error=/);
  }
});
