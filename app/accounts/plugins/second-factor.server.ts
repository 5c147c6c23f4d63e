import { twoFactor } from "better-auth/plugins";

/** Puts a code on its way to its owner; none where no mail leaves. */
type Sending = Pick<NonNullable<NonNullable<Parameters<typeof twoFactor>[0]>["otpOptions"]>, "sendOTP">;

/** Better Auth's two-factor sign-in: secrets and backup codes encrypted, a device trusted for 30 days if its owner says so. */
export const secondFactor = (sending: Sending) =>
  twoFactor({
    issuer: "Atelier",
    backupCodeOptions: { storeBackupCodes: "encrypted" },
    // A mail takes longer than a look at an app.
    otpOptions: { storeOTP: "hashed", period: 5, ...sending },
  });
