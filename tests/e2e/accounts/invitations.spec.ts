import { randomUUID } from "node:crypto";
import { startMailbox } from "../../harness/services/mailbox.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { runUserCommandWith } from "../support/user-command.ts";

const INVITED = { ACCOUNTS_SIGN_UP: "invited" };
const freshEmail = () => `${randomUUID()}@example.com`;
const linkIn = (output: string) => /https?:\S+/.exec(output)?.[0] ?? "";

withAndWithoutJavaScript((javaScript) => {
  test(
    "signs up with an emailed invitation, once",
    { tag: ["@signs-up-by-mailed-invitation", "@slow"] },
    async ({ page, launch, context }) => {
      test.slow();
      const mailbox = await startMailbox();
      const settings = { ...INVITED, SMTP_URL: mailbox.url, ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" };
      const app = await launch(settings);
      const email = freshEmail();

      await page.goto(`${app.url}/sign-up`);
      await expect(page.getByText("You need an invitation to create an account.")).toBeVisible();
      await expect(page.getByLabel("Email")).toHaveCount(0);
      await expectAccessible(page);

      const { code, output } = await runUserCommandWith(settings, app, "invite", email.toUpperCase());
      expect(code, output).toBe(0);
      await expect.poll(() => mailbox.for(email).map(({ link }) => link)).toEqual([linkIn(output)]);
      await page.goto(`${linkIn(output)}&redirectTo=/account`);
      if (javaScript) await hydrated(page);
      await expect(page.getByLabel("Email")).toHaveValue(email);
      await expect(page.getByLabel("Email")).not.toBeEditable();
      await expectAccessible(page);

      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Password", { exact: true }).fill("password1234");
      await page.getByRole("button", { name: "Create account" }).click();
      await expect(page.getByText("This password is too common. Choose another one.")).toBeVisible();
      await expect(page.getByLabel("Email")).toHaveValue(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
      await page.getByRole("button", { name: "Create account" }).click();
      await expect(page).toHaveURL(/\/account$/);

      await context.clearCookies();
      await page.goto(linkIn(output));
      await expect(page.getByText("This invitation was already used, has expired, was revoked")).toBeVisible();
      await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
      expect((await runUserCommandWith(settings, app, "invite", email)).output).toBe(
        `An account with the address ${email} already exists.\n`,
      );
      await mailbox.close();
    },
  );
});

test(
  "lists and revokes invitations, also without a running server",
  { tag: ["@lists-revokes-invitations", "@slow"] },
  async ({ launch, page }) => {
    test.slow();
    const app = await launch(INVITED);
    const email = freshEmail();
    const user = (...args: string[]) => runUserCommandWith(INVITED, app, ...args);
    const first = await user("invite", email);
    expect(first.output).toContain(`Send this link only to ${email}.`);
    const second = await user("invite", email);
    expect((await user("invitations")).output).toMatch(new RegExp(`^${email}\tinvited [\\d-]{10}\texpires [\\d-]{10}\n1 invitation\n$`));

    const isOpen = async (output: string) => {
      await page.goto(linkIn(output));
      return page.getByRole("button", { name: "Create account" }).isVisible();
    };
    expect([await isOpen(first.output), await isOpen(second.output)]).toEqual([false, true]);
    await page.goto("about:blank");
    await app.stop();
    expect(await user("uninvite", email)).toEqual({ code: 0, output: `The invitation for ${email} is revoked.\n` });
    expect((await user("uninvite", email)).output).toBe(`There is no invitation for ${email}.\n`);
    expect((await user("invitations")).output).toBe("There are no invitations.\n");
    expect((await user("invite", "nobody")).output).toBe("nobody is not an email address.\n");
    const closed = await runUserCommandWith({ ACCOUNTS_SIGN_UP: "closed" }, app, "invite", email);
    expect([closed.code, closed.output]).toEqual([1, expect.stringContaining("ACCOUNTS_SIGN_UP is closed")]);
    await app.start();
    expect(await isOpen(second.output)).toBe(false);
  },
);
