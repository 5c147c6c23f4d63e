import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth/api";

/**
 * Better Auth's passkeys. Each has to know its person (WebAuthn's user verification: a finger, a face, a PIN), when it is made and whenever it
 * signs in: it stands for password and second factor together. Better Auth asks for that only where it can be had, and takes a key that was just
 * touched.
 */
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
    message: "This passkey did not make sure that it is you. Set up a PIN, a fingerprint or a face for it first.",
  });
