import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth/api";

/** Requires user verification (WebAuthn), because a passkey replaces password and second factor. Better Auth only prefers it. */
export const passkeys = (origin: string) =>
  passkey({
    rpID: new URL(origin).hostname,
    rpName: "Atelier",
    origin,
    authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
    registration: {
      afterVerification: ({ verification }) => {
        if (verification.registrationInfo?.userVerified !== true) throw unverified();
      },
    },
    authentication: {
      afterVerification: ({ verification }) => {
        if (!verification.authenticationInfo.userVerified) throw unverified();
      },
    },
  });

const unverified = () =>
  new APIError("UNAUTHORIZED", {
    code: "USER_NOT_VERIFIED",
    message: "This passkey did not verify your identity. Set up a PIN, fingerprint or face recognition for it, then try again.",
  });
