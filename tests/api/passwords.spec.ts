import { scryptSync } from "node:crypto";
import { expect, test } from "./support/test.ts";
import { member, text } from "./support/program.ts";
import { verification } from "./support/verification.ts";

test(
  "rejects common passwords wherever a password is set",
  { tag: "@common-ones-rejected-wherever-password-set" },
  async ({ ada, nobody, store, freshEmail }) => {
    const common = "Football1".toLowerCase();
    await verification(store, `reset-password:${ada.id}`, ada.id);
    for (const password of [common, common.toUpperCase()]) {
      const answers = [
        await nobody.post("/sign-up/email", { name: "A", email: freshEmail, password }),
        await ada.program.post("/change-password", { currentPassword: ada.password, newPassword: password }),
        await nobody.post("/reset-password", { token: ada.id, newPassword: password }),
      ];
      for (const answer of answers) expect([answer.status, text(answer, "code")]).toEqual([400, "PASSWORD_COMMON"]);
    }
    for (const password of ["Atelier-2026", "--atelier--"]) {
      const answer = await nobody.post("/sign-up/email", { name: "Ada Lovelace", email: "ada@example.com", password });
      expect([answer.status, text(answer, "code")], password).toEqual([400, "PASSWORD_COMMON"]);
    }
    expect((await nobody.post("/reset-password", { token: ada.id, newPassword: "a fine password" })).status).toBe(200);
  },
);

test(
  "stores passwords as salted scrypt hashes with N, r and p as OWASP advises",
  { tag: "@stored-salted-scrypt-hashes-n-r" },
  async ({ app, store }) => {
    const ada = await member(app, { password: "hashed at the real cost" });
    const [row] = await store.find("accounts", { userId: ada.id, providerId: "credential" });
    const [salt = "", hash = ""] = String(row?.["password"]).split(":");
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
    const made = scryptSync(ada.password.normalize("NFKC"), salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 });
    expect(hash).toBe(made.toString("hex"));
  },
);

test("logs no passwords and no tokens", { tag: "@logs-no-passwords-no-tokens" }, async ({ app, ada, nobody }) => {
  await nobody.post("/sign-in/email", { email: ada.email, password: "a password that is wrong" });
  for (const secret of [ada.password, "a password that is wrong", ada.program.cookieHeader.split("=")[1]?.slice(0, 20) ?? ""])
    expect(app.output()).not.toContain(secret);
});
