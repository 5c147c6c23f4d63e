import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { importJWK, SignJWT } from "jose";
import * as z from "zod";
import { SERVICE_AUDIENCE, TOKEN_ISSUER } from "../../app/config.ts";
import type { RunningApp } from "./app.ts";

type Row = Record<string, unknown>;
type Where = Record<string, string>;

export type Store = {
  find(model: string, where: Where): Promise<Row[]>;
  change(model: string, where: Where, update: Row): Promise<number>;
  create(model: string, data: Row): Promise<void>;
  setAdministrator(userId: string, isAdministrator: boolean): Promise<void>;
  invite(email: string): Promise<string>;
};

const secretsSchema = z.object({
  signingKey: z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string(), d: z.string(), kid: z.string() }),
});
const responseSchema = z.object({ status: z.literal("success"), value: z.unknown() });

export async function storeOf(app: RunningApp): Promise<Store> {
  const { signingKey } = secretsSchema.parse(JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8")));
  const key = await importJWK(signingKey, "ES256");
  const call = async (kind: "query" | "mutation", name: string, args: Row): Promise<unknown> => {
    const token = await new SignJWT({ service: true })
      .setProtectedHeader({ alg: "ES256", kid: signingKey.kid, typ: "JWT" })
      .setIssuer(TOKEN_ISSUER)
      .setSubject("app-server")
      .setAudience(SERVICE_AUDIENCE)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(key);
    const response = await fetch(`${app.deployment.url}/api/${kind}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ path: `accounts/${name}`, args, format: "json" }),
    });
    return responseSchema.parse(await response.json()).value;
  };
  const clauses = (where: Where) =>
    Object.entries(where).map(([field, value]) => ({ field, operator: "eq", value, connector: "AND", mode: "sensitive" }));

  return {
    find: async (model, where) =>
      z.array(z.record(z.string(), z.unknown())).parse(await call("query", "store:findMany", { model, where: clauses(where), limit: 100 })),
    change: async (model, where, update) =>
      z.number().parse(await call("mutation", "store:updateMany", { model, where: clauses(where), update })),
    create: async (model, data) => void (await call("mutation", "store:create", { model, data })),
    setAdministrator: async (userId, isAdministrator) => void (await call("mutation", "administrators:set", { userId, isAdministrator })),
    async invite(email) {
      const token = randomBytes(16).toString("hex");
      const tokenHash = createHash("sha256").update(token).digest("base64url");
      await call("mutation", "invitations:create", { email, tokenHash });
      return token;
    },
  };
}
