import { defineRequestState } from "@better-auth/core/context";
import type { BetterAuthOptions } from "better-auth";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../../session/convex/service-client.server";
import { issuerProfile } from "./issuer-profile";

export type ValidateUserInfo = NonNullable<NonNullable<BetterAuthOptions["user"]>["validateUserInfo"]>;

type SignedInAt = { issuer: string; issuerSubject: string; issuerSession: string | null; adminGroup: string | null };

export const signedInAt = defineRequestState<SignedInAt | null>(() => null);

/** Checks an issuer's domains and groups at each sign-in, sign-up and link. Ends the role of people who left the administrator group. */
export const issuerRules =
  (config: AppConfig): ValidateUserInfo =>
  async ({ source: { oauth } }) => {
    const issuer = config.issuers.find(({ id }) => id === oauth?.providerId);
    if (!issuer) return;
    const { sub, sid = null, email = "", emailVerified, groups } = issuerProfile.parse(oauth?.profile);
    const adminGroup = issuer.adminGroup !== null && groups.includes(issuer.adminGroup) ? issuer.adminGroup : null;
    if (issuer.adminGroup !== null && adminGroup === null) {
      const left = { issuer: issuer.id, issuerSubject: sub };
      await serviceConvex(config).mutation(api.accounts.administrators.endGroup, left, { skipQueue: true });
    }
    if (issuer.domains.length > 0) {
      if (!emailVerified) return { error: "provider_email_not_verified" };
      if (!issuer.domains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase())) return { error: "domain_not_allowed" };
    }
    if (issuer.groups.length > 0 && !issuer.groups.some((group) => groups.includes(group))) return { error: "group_not_allowed" };
    await signedInAt.set({ issuer: issuer.id, issuerSubject: sub, issuerSession: sid, adminGroup });
  };

export const firstRefusal =
  (...rules: ValidateUserInfo[]): ValidateUserInfo =>
  async (...args) => {
    for (const rule of rules) {
      const refusal = await rule(...args);
      if (refusal?.error) return refusal;
    }
  };
