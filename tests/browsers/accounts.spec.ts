import { randomUUID } from "node:crypto";
import { test } from "./test.ts";

test("signs up, out by the menu, and in again", async ({ open }) => {
  const page = await open();
  const [email, password] = [`${randomUUID()}@example.com`, `correct horse ${randomUUID()}`];
  await page.open("/sign-up");
  await page.fillIn({ role: "textbox", name: "Name" }, "Grace Hopper");
  await page.fillIn({ role: "textbox", name: "Email" }, email);
  await page.fillIn({ role: "textbox", name: "Password" }, password);
  await page.click({ role: "button", name: "Create account" });
  await page.path("/projects");
  await page.ready();

  await page.click({ role: "button", name: { part: email } });
  await page.click({ role: "button", name: "Log out" });
  await page.path("/sign-in");
  await page.ready();

  await page.fillIn({ role: "textbox", name: "Email" }, email);
  await page.fillIn({ role: "textbox", name: "Password" }, "not the password");
  await page.click({ role: "button", name: "Sign in" });
  await page.visible({ role: "text", name: "Invalid email or password" });
  await page.fillIn({ role: "textbox", name: "Password" }, password);
  await page.click({ role: "button", name: "Sign in" });
  await page.path("/projects");
  await page.ready();
});
