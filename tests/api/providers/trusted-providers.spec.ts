import type { RunningApp } from "../../harness/app.ts";
import type { SocialServer } from "../../harness/services/oidc.ts";
import type { Store } from "../../harness/store.ts";
import { member, Program, text, through } from "../support/program.ts";
import { withSettings } from "../support/switches.ts";
import { expect, test } from "../support/test.ts";

type Fixtures = { app: RunningApp; social: SocialServer; store: Store };

async function linkingResults({ app, social, store }: Fixtures) {
  const verifiedMember = async () => {
    const user = await member(app);
    await store.change("users", { id: user.id }, { emailVerified: true });
    return user;
  };
  const unverified = (email: string) => social.identity({ email, email_verified: false });
  const providers = async ({ program }: { program: Program }) =>
    JSON.stringify((await program.get("/list-accounts")).body).includes('"google"');

  const bySignIn = await verifiedMember();
  const signIn = await through(new Program(app), social, unverified(bySignIn.email));
  const byIdToken = await verifiedMember();
  const signInToken = await social.idToken(unverified(byIdToken.email));
  const idTokenSignIn = await new Program(app).post("/sign-in/social", { provider: "google", idToken: { token: signInToken } });
  const byLink = await verifiedMember();
  const link = await through(byLink.program, social, unverified(byLink.email), { path: "/link-social", body: { callbackURL: "/account" } });
  const byLinkToken = await verifiedMember();
  const linkToken = await social.idToken(unverified(byLinkToken.email));
  const idTokenLink = await byLinkToken.program.post("/link-social", { provider: "google", idToken: { token: linkToken } });
  return {
    signIn,
    idTokenSignIn: idTokenSignIn.status,
    link,
    idTokenLink: { status: idTokenLink.status, message: idTokenLink.status === 200 ? null : text(idTokenLink, "message") },
    linked: await Promise.all([bySignIn, byIdToken, byLink, byLinkToken].map(providers)),
  };
}

test(
  "an untrusted provider with an unverified address is never linked",
  { tag: "@untrusted-provider-unverified-address-refused-each" },
  async ({ app, social, store }) => {
    expect(await linkingResults({ app, social, store })).toEqual({
      signIn: "/error?error=account_not_linked",
      idTokenSignIn: 401,
      link: "/error?error=unable_to_link_account",
      idTokenLink: { status: 401, message: "Account not linked - linking not allowed" },
      linked: [false, false, false, false],
    });
  },
);

withSettings({ ACCOUNTS_TRUSTED_PROVIDERS: "google" }, (fixtures) => {
  test(
    "a trusted provider with an unverified address is linked by each method",
    { tag: "@trusted-provider-unverified-address-linked-each" },
    async ({ social }) => {
      expect(await linkingResults({ ...fixtures(), social })).toEqual({
        signIn: "/projects",
        idTokenSignIn: 200,
        link: "/account",
        idTokenLink: { status: 200, message: null },
        linked: [true, true, true, true],
      });
    },
  );
});

withSettings(
  { FIGMA_CLIENT_ID: "id", FIGMA_CLIENT_SECRET: "secret", ROBLOX_CLIENT_ID: "id", ROBLOX_CLIENT_SECRET: "secret" },
  (fixtures) => {
    test(
      "the account page offers no link that cannot succeed, and names the setting",
      { tag: "@account-page-offers-no-link-cannot" },
      async () => {
        const { program } = await member(fixtures().app);
        const page = await fetch(`${fixtures().app.url}/account/connections`, { headers: { Cookie: program.cookieHeader } });
        const html = (await page.text()).replaceAll("<!-- -->", "");
        expect(html).toContain("Link Google");
        expect(html).not.toContain("Link Figma");
        expect(html).toContain("Figma cannot be linked: it does not report a verified email address");
        expect(html).toContain("ACCOUNTS_TRUSTED_PROVIDERS=figma");
        expect(html).toContain("ACCOUNTS_TRUSTED_PROVIDERS=roblox");
      },
    );
  },
);
