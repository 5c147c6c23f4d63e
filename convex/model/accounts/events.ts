import { type Infer, v, type Value } from "convex/values";

/** Account events derived from the rows that Better Auth writes, so that no code path can skip the notice. */
export const event = v.union(
  v.object({ kind: v.literal("sessionMade"), device: v.union(v.string(), v.null()), userAgent: v.string(), ipAddress: v.string() }),
  v.object({ kind: v.literal("accountMade"), providerId: v.string() }),
  v.object({ kind: v.literal("passwordChanged") }),
  v.object({ kind: v.literal("emailChanged"), from: v.string(), to: v.string() }),
  v.object({ kind: v.literal("passkeyAdded"), name: v.string() }),
  v.object({ kind: v.literal("twoFactorChanged"), enabled: v.boolean() }),
);
export type AccountEvent = Infer<typeof event>;

type Fields = Record<string, Value | undefined>;

export function eventOf(model: string, before: Fields | null, after: Fields): { userId: string; event: AccountEvent } | null {
  const userId = text(after[model === "users" ? "id" : "userId"]);
  const found = userId === "" ? null : read(model, before, after);
  return found && { userId, event: found };
}

function read(model: string, before: Fields | null, after: Fields): AccountEvent | null {
  if (model === "sessions" && !before) {
    const { device, userAgent, ipAddress } = after;
    return { kind: "sessionMade", device: text(device) || null, userAgent: text(userAgent), ipAddress: text(ipAddress) };
  }
  if (model === "accounts" && !before) return { kind: "accountMade", providerId: text(after["providerId"]) };
  if (model === "accounts" && before) return before["password"] === after["password"] ? null : { kind: "passwordChanged" };
  if (model === "passkeys" && !before) return { kind: "passkeyAdded", name: text(after["name"]) };
  if (model === "users" && before) {
    const [from, to] = [text(before["email"]), text(after["email"])];
    if (from !== to) return { kind: "emailChanged", from, to };
    const enabled = after["twoFactorEnabled"] === true;
    if ((before["twoFactorEnabled"] === true) !== enabled) return { kind: "twoFactorChanged", enabled };
  }
  return null;
}

const text = (value: Value | undefined) => (typeof value === "string" ? value : "");
