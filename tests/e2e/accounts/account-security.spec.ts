import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, test } from "../../harness/test.ts";
import { nextTotp, totp } from "../support/totp.ts";

const newPassword = "another correct horse";

withAndWithoutJavaScript((javaScript) => {
  const open = async (page: Page, path: string) => {
    await page.goto(path);
    if (javaScript) await hydrated(page);
  };
  const arrive = async (page: Page, url: RegExp | string) => {
    await expect(page).toHaveURL(url);
    if (javaScript) await hydrated(page);
  };
  const section = (page: Page, title: string) =>
    page
      .locator("section, div")
      .filter({ has: page.getByRole("heading", { name: title, exact: true }) })
      .last()
      .locator("xpath=..");

  async function fillSignIn(page: Page, { email }: Person, password: string) {
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  async function turnOn(page: Page, person: Person) {
    await open(page, "/account/security");
    await section(page, "Two-factor authentication").getByLabel("Your password").fill(person.password);
    await page.getByRole("button", { name: "Set up two-factor authentication" }).click();
    await expect(page.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible();
    const secret = await page.locator("code.select-all").innerText();
    const codes = await page.getByRole("list", { name: "Backup codes" }).getByRole("listitem").allTextContents();
    expect(codes).toHaveLength(10);
    return { secret, codes };
  }

  test(
    "changes the password and, on request, ends other sessions",
    { tag: ["@changes-password-request-ends-other-sessions", "@slow"] },
    async ({ page, person, otherBrowser }) => {
      const other = await otherBrowser(person);
      await open(other, "/projects");
      await open(page, "/account/security");
      await expectAccessible(page);

      await page.getByLabel("Current password").fill("wrong horse");
      await page.getByLabel("New password").fill(newPassword);
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page.getByLabel("Current password")).toHaveAccessibleDescription("Invalid password");
      await expect(page.getByLabel("New password")).toHaveValue(javaScript ? newPassword : "");

      await page.getByLabel("Current password").fill(person.password);
      await page.getByLabel("New password").fill("short");
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page.getByLabel("New password")).toHaveAccessibleDescription("Use at least 8 characters.");

      await page.getByLabel("Current password").fill(person.password);
      await page.getByLabel("New password").fill(newPassword);
      await expect(page.getByLabel("Sign out other sessions")).toBeChecked();
      await page.getByRole("button", { name: "Change password" }).click();
      await expect(page.getByText("Your password was changed.")).toBeVisible();

      if (!javaScript) await other.reload();
      await arrive(other, /\/sign-in/);
      await open(page, "/projects");
      await expect(page).toHaveURL("/projects");
      await fillSignIn(other, person, newPassword);
      await expect(other).toHaveURL("/projects");
    },
  );

  test(
    "sets up, verifies and requires a second factor; each code works once",
    { tag: ["@sets-up-verifies-requires-second-factor", "@slow"] },
    async ({ page, person, otherBrowser }) => {
      const { secret, codes } = await turnOn(page, person);
      await expectAccessible(page);
      await page.emulateMedia({ media: "print" });
      await expect(page.getByText(`Backup codes for Atelier, ${person.email}.`)).toBeVisible();
      await expect(page.getByRole("list", { name: "Backup codes" })).toBeVisible();
      await expect(page.getByRole("list", { name: "Backup codes" })).toHaveCSS("color", /^(?:lab\(7\.|oklch\(0\.2 )/);
      await expect(page.getByRole("heading")).toHaveCount(0);
      await page.emulateMedia({ media: null });
      await page.getByLabel("Code", { exact: true }).fill("000000");
      await page.getByRole("button", { name: "Turn on" }).click();
      await expect(page.getByLabel("Code", { exact: true })).toHaveAccessibleDescription("Invalid code");
      await expect(page.locator("code.select-all")).toHaveText(secret);

      const first = totp(secret);
      await page.getByLabel("Code", { exact: true }).fill(`${first.slice(0, 3)} ${first.slice(3)}`);
      await page.getByRole("button", { name: "Turn on" }).click();
      await expect(page.getByText("On. Each sign-in")).toBeVisible();
      await expect(page.getByText("10 codes are left.")).toBeVisible();
      await expectAccessible(page);

      const other = await otherBrowser();
      await open(other, "/sign-in?redirectTo=%2Faccount");
      await fillSignIn(other, person, person.password);
      await arrive(other, /\/two-factor\?redirectTo=%2Faccount/);
      await expectAccessible(other);
      await other.getByLabel("Code").fill(first);
      await other.getByRole("button", { name: "Continue" }).click();
      await expect(other.getByLabel("Code")).toHaveAccessibleDescription("Invalid code");
      await other.getByLabel("Code").fill(nextTotp(secret));
      await other.getByLabel("Trust this device").check();
      await other.getByRole("button", { name: "Continue" }).click();
      await arrive(other, "/account");

      await other.getByRole("button", { name: "Log out of this device" }).click();
      await arrive(other, "/sign-in");
      await fillSignIn(other, person, person.password);
      await arrive(other, "/projects");

      for (const [code, opens] of [
        [codes[0], true],
        [codes[0], false],
        [codes[1], true],
      ] as const) {
        const next = await otherBrowser();
        await open(next, "/sign-in");
        await fillSignIn(next, person, person.password);
        await arrive(next, "/two-factor");
        await next.getByRole("link", { name: "Use a backup code" }).click();
        await arrive(next, /by=backup/);
        await expectAccessible(next);
        await next.getByLabel("Backup code").fill(code ?? "");
        await next.getByRole("button", { name: "Continue" }).click();
        if (opens) await expect(next).toHaveURL("/projects");
        else await expect(next.getByLabel("Backup code")).toHaveAccessibleDescription("Invalid backup code");
        await next.context().close();
      }
      await open(page, "/account/security");
      await expect(page.getByText("8 codes are left.")).toBeVisible();
    },
  );

  test(
    "renews backup codes and turns the second factor off",
    { tag: ["@renews-backup-codes-turns-second-factor", "@slow"] },
    async ({ page, person, otherBrowser, context }) => {
      const { secret, codes } = await turnOn(page, person);
      await page.getByLabel("Code", { exact: true }).fill(totp(secret));
      await page.getByRole("button", { name: "Turn on" }).click();
      await expect(page.getByText("Two-factor authentication turned on.")).toBeVisible();
      await arrive(page, "/account/security");

      const backup = section(page, "Two-factor authentication");
      await backup.getByLabel("Your password").fill("wrong horse");
      await page.getByRole("button", { name: "Generate new backup codes" }).click();
      await expect(backup.getByLabel("Your password")).toHaveAccessibleDescription("Invalid password");
      await backup.getByLabel("Your password").fill(person.password);
      await page.getByRole("button", { name: "Generate new backup codes" }).click();
      const list = page.getByRole("list", { name: "Backup codes" });
      await expect(list).toBeVisible();
      const made = await list.getByRole("listitem").allTextContents();
      expect(made).not.toContain(codes[0]);
      await expectAccessible(page);
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download" }).click()]);
      expect(download.suggestedFilename()).toBe("atelier-backup-codes.txt");
      expect(await readFile(await download.path(), "utf8")).toContain(made.join("\n"));
      if (javaScript) {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.getByRole("button", { name: "Copy" }).click();
        await expect(page.getByText("Backup codes copied")).toBeVisible();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made.join("\n"));
      }
      await page.emulateMedia({ media: "print" });
      await expect(list).toBeVisible();
      await expect(page.getByText("Backup codes for Atelier,")).toBeVisible();
      await expect(page.getByRole("link", { name: "Download" })).toBeHidden();
      await expect(page.getByRole("heading", { name: "Turn off two-factor authentication" })).toBeHidden();
      await page.emulateMedia({ media: null });

      const off = section(page, "Turn off two-factor authentication");
      await off.getByLabel("Your password").fill(person.password);
      await page.getByRole("button", { name: "Turn off" }).click();
      await expect(page.getByText("Two-factor authentication turned off.")).toBeVisible();
      const other = await otherBrowser();
      await open(other, "/sign-in");
      await fillSignIn(other, person, person.password);
      await expect(other).toHaveURL("/projects");
    },
  );
});

test(
  "/two-factor requires a password sign-in just before",
  { tag: "@two-factor-requires-password-sign-just" },
  async ({ page, person, context }) => {
    await page.goto("/two-factor");
    await expect(page).toHaveURL("/projects");
    await context.clearCookies();
    await page.goto("/two-factor?redirectTo=/account");
    await expect(page).toHaveURL(/\/sign-in\?redirectTo=/);
    expect(person.id).not.toBe("");
  },
);

test("a password can be shown while it is typed", { tag: "@password-can-shown-while-typed" }, async ({ page, person }) => {
  await page.goto("/account/security");
  await hydrated(page);
  const field = page.getByLabel("New password");
  await field.fill("what I type");
  await expect(field).toHaveAttribute("type", "password");
  await field.locator("xpath=..").getByRole("button", { name: "Show characters" }).click();
  await expect(field).toHaveAttribute("type", "text");
  await expect(field).toHaveValue("what I type");
  expect(person.id).not.toBe("");
});

test("creates, names, uses and removes a passkey", async ({ page, person, context, otherBrowser }) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2" as const,
    transport: "internal" as const,
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  };
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options });

  await page.goto("/account/security");
  await hydrated(page);
  await page.getByLabel("Passkey name").fill("\u202EMy laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await expect(page.getByRole("heading", { name: "My laptop" })).toHaveText("My laptop");
  await expectAccessible(page);

  await page.getByText("Rename My laptop").click();
  await page.getByLabel("Name of the passkey").fill("\u200B\u2800");
  await page.getByRole("button", { name: "Save name" }).filter({ visible: true }).click();
  await expect(page.getByText("Enter a name for the passkey")).toBeVisible();
  await page.getByLabel("Name of the passkey").fill("My old laptop");
  await page.getByRole("button", { name: "Save name" }).filter({ visible: true }).click();
  await expect(page.getByRole("heading", { name: "My old laptop" })).toBeVisible();

  await context.clearCookies();
  await page.goto("/sign-in?redirectTo=%2Faccount%2Fsecurity");
  await hydrated(page);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page).toHaveURL("/account/security");
  await hydrated(page);
  await page.getByRole("button", { name: "Remove My old laptop" }).click();
  await expect(page.getByRole("heading", { name: "My old laptop" })).toHaveCount(0);
  const other = await otherBrowser(person, { javaScriptEnabled: false });
  await other.goto("/account/security");
  await expect(other.getByText("Adding a passkey requires JavaScript.")).toBeVisible();
});
