import { accountAction } from "~/accounts/screens/account-action.server";
import { PasskeySection } from "~/accounts/screens/passkey-section";
import { PasswordSection } from "~/accounts/screens/password-section";
import {
  backupCodesLeft,
  changePasswordFields,
  codeFields,
  passwordFields,
  securityIntents,
  setPasswordFields,
} from "~/accounts/screens/security.server";
import { TwoFactorSection } from "~/accounts/screens/two-factor-section";
import { visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { useLive } from "~/data/use-live";
import { constraintOf } from "~/forms/constraint.server";
import { configContext } from "~/http/context";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.security";

export const meta: Route.MetaFunction = () => [{ title: "Security · Atelier" }];

export async function loader({ request, context }: Route.LoaderArgs) {
  const security = await convexFor(context).preload(api.accounts.mine.getSecurity, {});
  const who = await visitor(context);
  return {
    security,
    codesLeft: who && security.value.twoFactor ? await backupCodesLeft(who.userId, request, context) : 0,
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

/** How somebody proves that it is them. */
export default function Security({ loaderData: { security, codesLeft, passwords, constraints } }: Route.ComponentProps) {
  const { hasPassword, twoFactor, passkeys } = useLive(security);
  return (
    <>
      {passwords ? <PasswordSection has={hasPassword} constraints={constraints} /> : null}
      <PasskeySection passkeys={passkeys} hasPassword={hasPassword} />
      <TwoFactorSection on={twoFactor} codesLeft={codesLeft} hasPassword={hasPassword} constraints={constraints} />
    </>
  );
}
