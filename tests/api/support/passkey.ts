import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes, sign } from "node:crypto";
import { type Answer, type Program, text } from "./program.ts";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export type StoredPasskey = { credentialID: string; privateKey: JsonWebKey };

const newPasskey = (): StoredPasskey => ({
  credentialID: randomBytes(16).toString("base64url"),
  privateKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
});

export function softPasskey(userId: string, stored = newPasskey()) {
  const { credentialID } = stored;
  const privateKey = createPrivateKey({ key: stored.privateKey, format: "jwk" });
  const { x = "", y = "" } = stored.privateKey;
  // COSE_Key in CBOR (RFC 9053, 7.1.1): {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const cose = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  let counter = 0;

  return {
    stored,
    row: {
      id: credentialID,
      userId,
      credentialID,
      publicKey: cose.toString("base64"),
      counter: 0,
      deviceType: "singleDevice",
      backedUp: false,
      createdAt: Date.now(),
    },
    async register(program: Program, { verified }: { verified: boolean }): Promise<Answer> {
      const challenge = text(await program.get("/passkey/generate-register-options"), "challenge");
      const { origin, hostname } = new URL(program.app.url);
      const id = Buffer.from(credentialID, "base64url");
      // WebAuthn 6.1 and 6.5.1: RP ID hash, flags, counter, credential with its length.
      const authenticatorData = Buffer.concat([
        createHash("sha256").update(hostname).digest(),
        Buffer.from([PRESENT | ATTESTED | (verified ? VERIFIED : 0), 0, 0, 0, 0]),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        cose,
      ]);
      // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR (WebAuthn 8.7)
      const attestationObject = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        Buffer.from([0x58, authenticatorData.length]),
        authenticatorData,
      ]);
      const clientDataJSON = Buffer.from(JSON.stringify({ type: "webauthn.create", challenge, origin, crossOrigin: false }));
      const response = {
        id: credentialID,
        rawId: credentialID,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          attestationObject: attestationObject.toString("base64url"),
          clientDataJSON: clientDataJSON.toString("base64url"),
          transports: ["internal"],
        },
      };
      return program.post("/passkey/verify-registration", { response, name: "My laptop" });
    },
    async signIn(program: Program, { verified }: { verified: boolean }): Promise<Answer> {
      const challenge = text(await program.get("/passkey/generate-authenticate-options"), "challenge");
      const { origin, hostname } = new URL(program.app.url);
      counter += 1;
      const authenticatorData = Buffer.concat([
        createHash("sha256").update(hostname).digest(),
        Buffer.from([PRESENT | (verified ? VERIFIED : 0), 0, 0, 0, counter]),
      ]);
      const clientDataJSON = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }));
      const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientDataJSON).digest()]);
      const response = {
        id: credentialID,
        rawId: credentialID,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          authenticatorData: authenticatorData.toString("base64url"),
          clientDataJSON: clientDataJSON.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
        },
      };
      return program.post("/passkey/verify-authentication", { response });
    },
  };
}
