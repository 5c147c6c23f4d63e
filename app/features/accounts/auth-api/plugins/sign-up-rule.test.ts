import { afterAll, beforeAll, expect, it } from "vitest";
import { startAppBackend } from "../../../../../tests/convex/app-backend";
import { appServer } from "../../../../../tests/convex/backends";
import { api } from "#convex/_generated/api";
import { createInvitationToken } from "../../invitations/invitations.server";
import { authFor } from "../auth.server";

let app: Awaited<ReturnType<typeof startAppBackend>>;
beforeAll(async () => {
  app = await startAppBackend();
});
afterAll(() => app.close());

it("signs in with an invitation where addresses must be verified, and emails nothing", async () => {
  const accounts = { ...app.config.accounts, signUp: "invited" as const, requireEmailVerification: true };
  const config = { ...app.config, smtpUrl: "smtp://127.0.0.1:1", accounts };
  const { token, tokenHash } = createInvitationToken();
  const email = "ada@example.com";
  const server = await appServer(app.backend);
  await server.mutation(api.accounts.invitations.create, { email, tokenHash });

  const origin = "http://localhost:3000";
  const request = new Request(`${origin}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { Origin: origin, "Content-Type": "application/json", "x-atelier-client-address": "192.0.2.1" },
    body: JSON.stringify({ name: "Ada", email, password: "correct horse battery", invitation: token }),
  });
  const response = await authFor(config, request).handler(request);
  expect(response.headers.getSetCookie().join()).toContain("atelier.session_token=");
  expect(await response.json()).toMatchObject({ token: expect.any(String), user: { email, emailVerified: true } });
  expect(await server.query(api.accounts.mail.due, {})).toBeNull();
});
