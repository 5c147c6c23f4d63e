import { expect, hydrated, test } from "../harness/test.ts";

/** The session view is the same in every open tab, of every browser (specification 4). */

test("a name changed by a program is seen at once in the tabs of two browsers", async ({ page, person, otherBrowser, app }) => {
  const other = await otherBrowser(person);
  for (const tab of [page, other]) {
    await tab.goto("/projects");
    await hydrated(tab);
    await expect(tab.getByRole("button", { name: new RegExp(person.name) })).toBeVisible();
  }
  const answer = await fetch(`${app.url}/api/auth/update-user`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, Cookie: person.cookieHeader },
    body: JSON.stringify({ name: "Countess Lovelace" }),
  });
  expect(answer.status).toBe(200);
  for (const tab of [page, other]) await expect(tab.getByRole("button", { name: /Countess Lovelace/ })).toBeVisible();

  // Nor is it forgotten by the next page.
  for (const tab of [page, other]) {
    await tab.reload();
    await expect(tab.getByRole("button", { name: /Countess Lovelace/ })).toBeVisible();
  }
});

test("sessions ended with a change of password lead every open tab to /sign-in at once", async ({ page, person, otherBrowser, app }) => {
  const other = await otherBrowser(person);
  for (const tab of [page, other]) {
    await tab.goto("/projects");
    await hydrated(tab);
  }
  const answer = await fetch(`${app.url}/api/auth/change-password`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, Cookie: person.cookieHeader },
    body: JSON.stringify({ currentPassword: person.password, newPassword: "another fine password", revokeOtherSessions: true }),
  });
  expect(answer.status).toBe(200);
  for (const tab of [page, other]) await expect(tab).toHaveURL(/\/sign-in/);
});
