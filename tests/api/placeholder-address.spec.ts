import { randomUUID } from "node:crypto";
import { expect, test } from "./support/mailed.ts";
import { member, Program } from "./support/program.ts";

test("a placeholder address gets no email, stays hidden and can be deleted", async ({ app, ada, store, mailbox, linkTo }) => {
  const email = `${randomUUID()}@roblox.placeholder.invalid`;
  await store.change("users", { id: ada.id }, { email });
  const program = ada.program;
  program.cookies.delete("atelier.convex_token");
  for (const path of ["/account", "/account/data", "/account/security", "/verify-email"]) {
    const html = await (await fetch(app.url + path, { headers: { Cookie: program.cookieHeader } })).text();
    const seen = html.replaceAll(/<script\b[\s\S]*?<\/script>/g, "");
    expect([path, seen.includes("</html>"), seen.includes("placeholder.invalid")]).toEqual([path, true, false]);
  }
  await new Program(app).post("/request-password-reset", { email, redirectTo: "/reset-password" });
  await new Program(app).post("/sign-in/magic-link", { email });
  await program.post("/change-password", { currentPassword: ada.password, newPassword: "another fine password" });

  const form = new URLSearchParams({ intent: "delete", form: "delete", confirmation: "delete my account" });
  const headers = { Origin: app.url, Cookie: program.cookieHeader, "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await fetch(`${app.url}/account/data`, { method: "POST", headers, body: form.toString(), redirect: "manual" });
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/sign-in"]);
  expect(await store.find("users", { id: ada.id })).toEqual([]);
  const bob = await member(app);
  await new Program(app).post("/sign-in/magic-link", { email: bob.email });
  await linkTo(bob.email, "/magic-link/verify");
  expect(mailbox.all().filter(({ to }) => to.includes("placeholder"))).toEqual([]);
});
