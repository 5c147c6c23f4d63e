import { accountAction } from "~/features/accounts/account-action.server";
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
  return {
    security,
    codesLeft: visitor && security.value.twoFactor ? await backupCodesLeft(visitor.userId, request, context) : 0,
    passwords: context.get(configContext).accounts.emailAndPassword,
    constraints: {
      changePassword: constraintOf(changePasswordFields),
      setPassword: constraintOf(setPasswordFields),
      password: constraintOf(passwordFields),
      code: constraintOf(codeFields),
    },
  };
}

export const action = accountAction(securityIntents);

export default function Security({ loaderData: { security, codesLeft, passwords, constraints } }: Route.ComponentProps) {
  const { hasPassword, twoFactor, passkeys } = useLive(security);
  return (
    <>
      {passwords ? <PasswordSection has={hasPassword} constraints={constraints} /> : null}
      <PasskeySection passkeys={passkeys} hasPassword={hasPassword} />
      {passwords || hasPassword || twoFactor ? (
        <TwoFactorSection on={twoFactor} codesLeft={codesLeft} hasPassword={hasPassword} constraints={constraints} />
      ) : null}
    </>
  );
}
