import { randomUUID } from "node:crypto";
import { storeOf } from "../../harness/store.ts";
import { issuerOfWorker } from "../../harness/services/servers.ts";
import type { TestIssuer } from "../../harness/services/issuer.ts";
import {
  withAndWithoutJavaScript,
  expect,
  expectAccessible,
  hydrated,
  type Person,
  type RunningApp,
  signUp,
  test as base,
} from "../../harness/test.ts";
import { drawn, NARROW, outside, showTheme, WIDE } from "../support/measures.ts";
import { deploymentAs } from "../support/pictures.ts";
import { runUserCommand } from "../support/user-command.ts";
import { api } from "../../../convex/_generated/api.js";

const test = base.extend<{ admin: Person }, { issuer: TestIssuer }>({
  issuer: issuerOfWorker,
  admin: async ({ app, person }, use) => {
    await giveRole(app, person);
    await use(person);
  },
});

const giveRole = async (app: RunningApp, { id }: Person) => (await storeOf(app)).setAdministrator(id, true);

const ADDRESSES = ["/admin", "/admin/", "/Admin", "/%61dmin", "/admin?q=x", "/admin/people/nobody", "/admin/nothing", "/admin.data"];

test("answers everyone else like an unknown address", { tag: "@administration-hidden" }, async ({ app, person, admin }) => {
  const stranger = await signUp(app.url);
  const former = await signUp(app.url);
  await giveRole(app, former);
  await (await storeOf(app)).setAdministrator(former.id, false);
  const read = async (path: string, cookie: string, init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {}) => {
    const answer = await fetch(app.url + path, { redirect: "manual", ...init, headers: { ...init.headers, Cookie: cookie } });
    const nonce = /nonce-([^']+)'/.exec(answer.headers.get("Content-Security-Policy") ?? "")?.[1] ?? "none";
    // Any write of another request changes the timestamps of the answers, which have 8 bytes in base64.
    const text = (await answer.text())
      .replaceAll(nonce, "NONCE")
      .replaceAll(path, "ADDRESS")
      .replaceAll(/(?<=")[A-Za-z\d+/]{11}=/g, "TS");
    const kept = [...answer.headers].filter(
      ([name]) => !/^(?:date|server-timing|content-security-policy|x-request-id|content-length|set-cookie)$/.test(name),
    );
    return { status: answer.status, headers: kept, text };
  };
  for (const cookie of ["", stranger.cookieHeader, former.cookieHeader]) {
    for (const path of ADDRESSES) {
      const unknown = path.replace(/admin|%61dmin/i, "nowhere");
      const [shown, expected] = [await read(path, cookie), await read(unknown, cookie)];
      expect(shown.status, path).toBe(404);
      expect(shown, path).toEqual(expected);
    }
    const send = { method: "POST", body: new URLSearchParams({ intent: "disablePerson", userId: admin.id }), headers: { Origin: app.url } };
    const [sent, expected] = [await read("/admin/people/x", cookie, send), await read("/nowhere/people/x", cookie, send)];
    expect(sent.status).toBe(404);
    expect(sent).toEqual(expected);
  }
  expect((await fetch(`${app.url}/admin`, { headers: { Cookie: person.cookieHeader } })).status).toBe(200);
});

test("gives and removes the role by the command", { tag: ["@administrator-command", "@slow"] }, async ({ app, page, person }) => {
  test.slow();
  await page.goto("/projects");
  await hydrated(page);
  const menu = page.getByRole("button", { name: person.name });
  await menu.click();
  await expect(page.getByRole("link", { name: "Administration" })).toHaveCount(0);
  expect(await runUserCommand(app, "admin", person.email)).toEqual({ code: 0, output: `${person.email} is now an administrator.\n` });
  await page.getByRole("link", { name: "Administration" }).click();
  await expect(page.getByRole("heading", { name: "Administration", level: 1 })).toBeVisible();
  expect((await runUserCommand(app, "admin", person.email)).output).toBe(`${person.email} is already an administrator.\n`);
  expect((await runUserCommand(app, "list")).output).toMatch(new RegExp(`${person.email}.*\tadministrator\n`));

  await hydrated(page);
  const { output } = await runUserCommand(app, "admin", person.email, "--remove");
  expect(output).toContain(`${person.email} is no longer an administrator.`);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  expect((await runUserCommand(app, "admin", "nobody@example.com")).code).toBe(1);
});

test("shows unknown addresses with JavaScript as without a role", async ({ page, person }) => {
  const answer = await page.goto(`/admin?of=${person.id}`);
  expect(answer?.status()).toBe(404);
  await hydrated(page);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.getByRole("link", { name: "Start Over" }).click();
  await expect(page).toHaveURL(/\/projects$/);
});

test("fits narrow and wide screens in both themes", { tag: "@administration-fits" }, async ({ app, page, admin }, testInfo) => {
  const grace = await signUp(app.url, "Grace Hopper Donaudampfschifffahrtsgesellschaftskapitän");
  for (const [name, path] of [
    ["people", "/admin"],
    ["person", `/admin/people/${grace.id}`],
    ["own", `/admin/people/${admin.id}`],
  ] as const) {
    await page.goto(path);
    await hydrated(page);
    for (const size of [NARROW, { width: 360, height: 740 }, WIDE]) {
      await page.setViewportSize(size);
      for (const theme of ["dark", "light"] as const) {
        await showTheme(page, theme);
        await drawn(page);
        expect(await outside(page), `${path} at ${size.width}`).toBe(0);
        await expectAccessible(page, ["color-contrast"]);
        await page.screenshot({ path: testInfo.outputPath(`${name}-${size.width}-${theme}.png`) });
      }
    }
  }
});

test.use({ allowedErrors: [/status of 40[034]/] });

withAndWithoutJavaScript((javaScript) => {
  test("disables and enables a person", { tag: "@administration-disables" }, async ({ app, page, admin, otherBrowser }) => {
    const grace = await signUp(app.url, "Grace Hopper");
    const convex = await deploymentAs(app, grace);
    await convex.mutation(api.projects.create, { name: "Compiler" });
    const hers = await otherBrowser(grace, { javaScriptEnabled: true });
    await hers.goto("/projects");
    await hydrated(hers);

    await page.goto("/admin");
    if (javaScript) await hydrated(page);
    await expectAccessible(page);
    await page.getByRole("searchbox", { name: "Name or email address" }).fill(grace.email);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByRole("link", { name: grace.email }).click();
    await expect(page.getByRole("heading", { name: "Grace Hopper", level: 2 })).toBeVisible();
    if (javaScript) await hydrated(page);
    await expect(page.getByText("1 project, 0 designs, 0 images")).toBeVisible();
    await expect(page.getByText("Compiler")).toHaveCount(0);
    await expectAccessible(page);

    await (await storeOf(app)).change("sessions", { userId: admin.id }, { createdAt: Date.now() - 16 * 60_000 });
    await page.getByRole("button", { name: "Disable account" }).click();
    await expect(page.getByText("You signed in some time ago. Enter your password to continue.")).toBeVisible();
    await page.getByLabel("Your password").fill("wrong horse");
    await page.getByRole("button", { name: "Disable account" }).click();
    await expect(page.getByText("Invalid password")).toBeVisible();
    await page.getByLabel("Your password").fill(admin.password);
    await page.getByRole("button", { name: "Disable account" }).click();
    await expect(page.getByText("Disabled since")).toBeVisible();
    await expect(hers).toHaveURL(/\/sign-in/);
    await hers.getByLabel("Email").fill(grace.email);
    await hers.getByLabel("Password", { exact: true }).fill(grace.password);
    await hers.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(hers.getByText("This account is disabled. Ask the operator of this installation.")).toBeVisible();

    await page.getByRole("button", { name: "Enable account" }).click();
    await expect(page.getByRole("button", { name: "Disable account" })).toBeVisible();
    await hers.getByLabel("Password", { exact: true }).fill(grace.password);
    await hers.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(hers.getByRole("heading", { name: "Compiler" })).toBeVisible();
  });

  test("changes a quota, ends sessions and deletes an account", { tag: "@administration-changes" }, async ({ app, page, admin }) => {
    const grace = await signUp(app.url, "Grace Hopper");
    await page.goto(`/admin/people/${grace.id}`);
    if (javaScript) await hydrated(page);
    await page.getByLabel("Quota in GB").fill("much");
    await page.getByRole("button", { name: "Save quota" }).click();
    await expect(page.getByText("Enter a number of gigabytes, like 10 or 0.5.")).toBeVisible();
    await page.getByLabel("Quota in GB").fill("2,5");
    await page.getByRole("button", { name: "Save quota" }).click();
    await expect(page.getByText("0 bytes of 2.5 GB used.")).toBeVisible();

    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await expect(page.getByText("0 sessions")).toBeVisible();

    await page.getByLabel(/^Type .* to confirm$/).fill("wrong");
    await page.getByRole("button", { name: "Delete account" }).click();
    await expect(page.getByText(`Type ${grace.email} to confirm.`)).toBeVisible();
    await page.getByLabel(/^Type .* to confirm$/).fill(grace.email);
    await page.getByRole("button", { name: "Delete account" }).click();
    await expect(page).toHaveURL(/\/admin$/);
    // Locators skip the content of `noscript`.
    if (javaScript) await expect(page.getByText("The account is deleted.").first()).toBeVisible();
    else expect(await page.content()).toContain("The account is deleted.");
    expect(await (await storeOf(app)).find("users", { id: grace.id })).toEqual([]);
    expect((await page.goto(`/admin/people/${grace.id}`))?.status()).toBe(404);

    await page.goto(`/admin/people/${admin.id}`);
    await expect(page.getByRole("heading", { name: "Administrator", level: 2 })).toBeVisible();
    await expect(page.getByRole("button", { name: "Disable account" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Delete account" })).toHaveCount(0);
  });

  test("invites a person and revokes the invitation", { tag: "@administration-invites" }, async ({ page, admin, otherBrowser }) => {
    const email = `${randomUUID()}@example.com`;
    await page.goto("/admin");
    if (javaScript) await hydrated(page);
    await expect(page.getByText("Everyone can create an account.")).toBeVisible();
    await page.getByLabel("Email address", { exact: true }).fill(admin.email);
    await page.getByRole("button", { name: "Invite" }).click();
    await expect(page.getByText("An account with this address already exists.")).toBeVisible();
    await page.getByLabel("Email address", { exact: true }).fill(email);
    await page.getByRole("button", { name: "Invite" }).click();
    const link = await page.getByLabel("Invitation link").inputValue();
    const theirs = await otherBrowser();
    await theirs.goto(link);
    await expect(theirs.getByLabel("Email")).toHaveValue(email);

    if (!javaScript) await page.goto("/admin");
    await page.getByRole("button", { name: `Revoke the invitation for ${email}` }).click();
    await expect(page.getByRole("heading", { name: email })).toHaveCount(0);
  });
});

test(
  "gives the role by the issuer's group, and ends it with the next sign-in",
  { tag: ["@administrator-group", "@slow"] },
  async ({ page, launch, issuer, browser }) => {
    test.slow();
    const app = await launch(issuer.settings("ACME", { LABEL: "Acme Corp", ADMIN_GROUP: "admins" }));
    await issuer.connect(app.url, "oidc-acme");
    const grace = issuer.person({ groups: ["admins"] });
    await page.setExtraHTTPHeaders({ "X-Person": grace.sub });
    await page.goto(`${app.url}/sign-in`);
    await page.getByRole("button", { name: "Continue with Acme Corp" }).click();
    await expect(page).toHaveURL(`${app.url}/projects`);
    await page.goto(`${app.url}/admin`);
    await hydrated(page);
    await expect(page.getByRole("heading", { name: "Administration", level: 1 })).toBeVisible();
    await page.getByRole("link", { name: grace.email }).click();
    await expect(page.getByText("A group at the issuer grants the role. To remove it, remove the person from the group.")).toBeVisible();

    grace.claims["groups"] = [];
    const other = await browser.newContext({ extraHTTPHeaders: { "X-Person": grace.sub } });
    const second = await other.newPage();
    await second.goto(`${app.url}/sign-in`);
    await second.getByRole("button", { name: "Continue with Acme Corp" }).click();
    await expect(second).toHaveURL(`${app.url}/projects`);
    expect((await second.goto(`${app.url}/admin`))?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await other.close();
  },
);
