import { randomUUID } from "node:crypto";
import { storeOf } from "../harness/store.ts";
import { expect, hydrated, openBrowser, type RunningApp, signUp, test } from "../harness/test.ts";
import { runUserCommand as user } from "../e2e/support/user-command.ts";

const signIn = (app: RunningApp, email: string, password: string) =>
  fetch(`${app.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url },
    body: JSON.stringify({ email, password }),
  });

test(
  "lists users, creates reset links and deletes accounts while a server runs",
  { tag: "@lists-users-creates-reset-links-deletes" },
  async ({ ownApp, browser }) => {
    test.slow();
    const ada = await signUp(ownApp.url);
    const listed = await user(ownApp, "list");
    expect(listed.output).toContain(`${ada.email}\tAda Lovelace\tnot verified\tsince `);
    expect(listed.output).toContain("1 account");

    const { output } = await user(ownApp, "reset", ada.email.toUpperCase());
    const page = await openBrowser(browser, ownApp);
    await page.goto(/https?:\S+/.exec(output)?.[0] ?? "");
    await hydrated(page);
    await page.getByLabel("New password").fill("another horse battery");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await page.context().close();
    expect((await signIn(ownApp, ada.email, "another horse battery")).status).toBe(200);
    const before = await fetch(`${ownApp.url}/projects`, { redirect: "manual", headers: { Cookie: ada.cookieHeader } });
    expect(before.status).toBe(302);

    const unasked = await user(ownApp, "delete", ada.email);
    expect([unasked.code, unasked.output]).toEqual([1, "Nothing was deleted.\n"]);
    expect(await user(ownApp, "delete", ada.email, "--yes")).toEqual({ code: 0, output: `The account of ${ada.email} is deleted.\n` });
    expect((await signIn(ownApp, ada.email, "another horse battery")).status).toBe(401);
  },
);

test("works without a running server, and reports failures", async ({ ownApp }) => {
  test.slow();
  const [ada, bob] = [await signUp(ownApp.url), await signUp(ownApp.url)];
  const store = await storeOf(ownApp);
  await store.create("twoFactors", { id: ada.id, userId: ada.id, secret: "x", backupCodes: "x", verified: true });
  await store.change("users", { id: ada.id }, { twoFactorEnabled: true });
  await ownApp.stop();
  expect((await user(ownApp, "disable-2fa", ada.email)).code).toBe(0);
  expect((await user(ownApp, "disable-2fa", ada.email)).output).toBe(`${ada.email} does not use two-factor authentication.\n`);
  expect(await user(ownApp, "delete", bob.email, "--yes")).toEqual({ code: 0, output: `The account of ${bob.email} is deleted.\n` });
  const nobody = `${randomUUID()}@example.com`;
  expect(await user(ownApp, "reset", nobody)).toEqual({ code: 1, output: `No account has the address ${nobody}.\n` });
  for (const wrong of [[], ["reset"], ["nonsense"]]) {
    const { code, output } = await user(ownApp, ...wrong);
    expect([code, output.startsWith("Usage: npm run user")]).toEqual([1, true]);
  }

  await ownApp.start();
  const answer = await signIn(ownApp, ada.email, ada.password);
  expect(await answer.json()).toMatchObject({ user: { id: ada.id, twoFactorEnabled: false } });
  expect((await signIn(ownApp, bob.email, bob.password)).status).toBe(401);
  for (const table of ["accounts", "sessions"]) await expect.poll(() => store.find(table, { userId: bob.id })).toEqual([]);
});
