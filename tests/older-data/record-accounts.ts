import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { softPasskey, type StoredPasskey } from "../api/support/passkey.ts";
import { type Member, member, Program, signInAgain, text, through } from "../api/support/program.ts";
import { turnOn } from "../api/support/second-factor.ts";
import { nextTotp } from "../e2e/support/totp.ts";
import type { RunningApp } from "../harness/app.ts";
import { embeddedTarget, rowsOf } from "../harness/move.ts";
import type { Mailbox } from "../harness/services/mailbox.ts";
import type { SocialServer } from "../harness/services/oidc.ts";
import { storeOf } from "../harness/store.ts";

type Account = Pick<Member, "id" | "email" | "password">;
type Cookies = [name: string, value: string][];
type Linked = { id: string; sub: string; email: string };

export type OlderAccounts = {
  password: Account & { session: Cookies };
  passkey: Account & { passkey: StoredPasskey };
  secondFactor: Account & { secret: string; backupCodes: string[]; trusted: Cookies };
  /** An account that has only a provider. */
  google: Linked;
  /** An account that has a password and a linked provider. */
  gitlab: Linked;
  mails: Record<"signIn" | "reset" | "verification" | "addressChange" | "deletion", Account & { link: string; session: Cookies }>;
  newEmail: string;
};

const FAR = Date.UTC(2100, 0);

/** Passwords are hashed as in production: they do not begin as those of other test users. */
export const olderMember = (app: RunningApp): Promise<Member> => member(app, { password: `older horse ${randomUUID()}` });

const accountOf = ({ id, email, password }: Member): Account => ({ id, email, password });
const cookiesOf = ({ cookies }: Program): Cookies => [...cookies];

export async function recordAccounts(app: RunningApp, social: SocialServer, mailbox: Mailbox): Promise<OlderAccounts> {
  const store = await storeOf(app);
  const verify = ({ id }: Member) => store.change("users", { id }, { emailVerified: true });
  const pathOf = async (address: string, part: string, word = ""): Promise<string> => {
    for (;;) {
      const link = mailbox.for(address).find((mail) => mail.link.includes(part) && mail.text.includes(word))?.link;
      if (link !== undefined) return withoutExpiry(app, link.slice(app.url.length));
      await sleep(100);
    }
  };

  const byPassword = await olderMember(app);
  const byPasskey = await olderMember(app);
  const passkey = softPasskey(byPasskey.id);
  const registered = await passkey.register(byPasskey.program, { verified: true });
  if (registered.status !== 200) throw new Error(`verify-registration answered ${registered.status}: ${JSON.stringify(registered.body)}`);

  const byFactor = await olderMember(app);
  const { secret, backup } = await turnOn(byFactor);
  const trusted = await signInAgain(byFactor);
  await trusted.post("/two-factor/verify-totp", { code: nextTotp(secret), trustDevice: true });
  if (!(await trusted.signedIn())) throw new Error("The device was not trusted.");
  trusted.cookies.delete("atelier.session_token");

  const google = social.identity();
  const withGoogle = new Program(app);
  await through(withGoogle, social, google);
  const withGitlab = await olderMember(app);
  await verify(withGitlab);
  const gitlab = social.identity({ email: withGitlab.email });
  await through(withGitlab.program, social, gitlab, { provider: "gitlab", path: "/link-social" });

  const newEmail = `${randomUUID()}@example.com`;
  const mailed = async (part: string, request: (user: Member) => Promise<{ status: number; body: unknown }>, word?: string) => {
    const user = await olderMember(app);
    const answer = await request(user);
    if (answer.status !== 200) throw new Error(`The request of a mail answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return { ...accountOf(user), link: await pathOf(user.email, part, word), session: cookiesOf(user.program) };
  };
  const nobody = new Program(app);
  const mails = {
    signIn: await mailed("/magic-link/verify", ({ email }) => nobody.post("/sign-in/magic-link", { email, callbackURL: "/projects" })),
    reset: await mailed("/reset-password/", ({ email }) =>
      nobody.post("/request-password-reset", { email, redirectTo: "/reset-password" }),
    ),
    verification: await mailed("/verify-email", ({ program, email }) =>
      program.post("/send-verification-email", { email, callbackURL: "/account" }),
    ),
    addressChange: await mailed(
      "/verify-email",
      async (user) => {
        await verify(user);
        return user.program.post("/change-email", { newEmail, callbackURL: "/account" });
      },
      newEmail,
    ),
    deletion: await mailed("/delete-user/callback", ({ program, password }) =>
      program.post("/delete-user", { password, callbackURL: "/sign-up" }),
    ),
  };

  const target = await embeddedTarget(app);
  for (const table of ["sessions", "verifications"])
    for (const { id } of await rowsOf(target, table)) await store.change(table, { id: String(id) }, { expiresAt: FAR });

  return {
    password: { ...accountOf(byPassword), session: cookiesOf(byPassword.program) },
    passkey: { ...accountOf(byPasskey), passkey: passkey.stored },
    secondFactor: { ...accountOf(byFactor), secret, backupCodes: backup, trusted: cookiesOf(trusted) },
    google: { id: text(await withGoogle.get("/get-session"), "user", "id"), sub: google.sub, email: google.email },
    gitlab: { id: withGitlab.id, sub: gitlab.sub, email: gitlab.email },
    mails,
    newEmail,
  };
}

/** A link whose token is a JWT (RFC 7519) expires by its content: signs it again. Other tokens expire by their row. */
async function withoutExpiry(app: RunningApp, path: string): Promise<string> {
  const url = new URL(path, app.url);
  const [header, claims] = (url.searchParams.get("token") ?? "").split(".");
  if (header === undefined || claims === undefined) return path;
  const { secret } = z.object({ secret: z.string() }).parse(JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8")));
  const parsed: object = JSON.parse(Buffer.from(claims, "base64url").toString());
  const signed = `${header}.${Buffer.from(JSON.stringify({ ...parsed, exp: FAR / 1000 })).toString("base64url")}`;
  url.searchParams.set("token", `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`);
  return url.pathname + url.search;
}
