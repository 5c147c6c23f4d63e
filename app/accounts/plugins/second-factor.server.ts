import { twoFactor } from "better-auth/plugins";

/** Better Auth's two-factor sign-in: secrets and backup codes encrypted, a device trusted for 30 days if its owner says so. */
export const secondFactor = () =>
  twoFactor({
    issuer: "Atelier",
    backupCodeOptions: { storeBackupCodes: "encrypted" },
    otpOptions: { storeOTP: "hashed" },
  });
