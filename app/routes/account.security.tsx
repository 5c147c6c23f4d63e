import { accountAction } from "~/features/accounts/account-action.server";
import { isSingleSignOnOnly } from "~/features/accounts/auth-api/providers/social-providers.server";
import { PasskeySection } from "~/features/accounts/settings/passkey-section";
import { PasswordSection } from "~/features/accounts/settings/password-section";
import {
  backupCodesLeft,
  changePasswordFields,
  codeFields,
  passwordFields,
  securityIntents,
  setPasswordFields,
} from "~/features/accounts/settings/security.server";
import { Section } from "~/features/accounts/settings/section";
import { TwoFactorSection } from "~/features/accounts/settings/two-factor-section";
import { getVisitor } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { useLive } from "~/lib/data/use-live";
import { constraintOf } from "~/lib/forms/constraint.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.security";

export const meta: Route.MetaFunction = () => [{ title: "Security · Atelier" }];

export async function loader({ request, context }: Route.LoaderArgs) {
  const security = await convexFor(context).preload(api.accounts.mine.getSecurity, {});
  const visitor = await getVisitor(context);
  const config = context.get(configContext);
  return {
    security,
    codesLeft: visitor && security.value.twoFactor ? await backupCodesLeft(visitor.userId, request, context) : 0,
    passwords: config.accounts.emailAndPassword,
    issuers: isSingleSignOnOnly(config) ? config.issuers.map(({ label }) => label) : [],
    constraints: {
      changePassword: constraintOf(changePasswordFields),
      setPassword: constraintOf(setPasswordFields),
      password: constraintOf(passwordFields),
      code: constraintOf(codeFields),
    },
  };
}

export const action = accountAction(securityIntents);

export default function Security({ loaderData: { security, codesLeft, passwords, issuers, constraints } }: Route.ComponentProps) {
  const { hasPassword, twoFactor, passkeys } = useLive(security);
  return (
    <>
      {passwords ? <PasswordSection has={hasPassword} constraints={constraints} /> : null}
      {issuers.length === 0 ? (
        <PasskeySection passkeys={passkeys} hasPassword={hasPassword} />
      ) : (
        <Section title="Single sign-on" about={`You sign in with ${new Intl.ListFormat("en", { type: "disjunction" }).format(issuers)}.`}>
          <p className="text-soft">Change your password, passkeys and second factor there.</p>
        </Section>
      )}
      {passwords || hasPassword || twoFactor ? (
        <TwoFactorSection on={twoFactor} codesLeft={codesLeft} hasPassword={hasPassword} constraints={constraints} />
      ) : null}
    </>
  );
}
