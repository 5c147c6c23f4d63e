import { createHash } from "node:crypto";
import { hashPassword } from "better-auth/crypto";
import { data, type RouterContextProvider } from "react-router";
import { z } from "zod";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { refusalOf } from "~/lib/data/error-responses";
import { failedForm } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { FORM_FIELD, INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { api } from "#convex/_generated/api";
import { createLinkToken, linkAddress } from "../link-token.server";
import { countAttempts } from "../open-link.server";
import { CHANGE_LINK, CREATE_LINK } from "./link-intents";

type LinkAnswer = FormAnswer & { link?: string };

type Sent = { request: Request; context: Readonly<RouterContextProvider>; projectId: string; sent: FormData };

const FIELDS = [
  INTENT_FIELD,
  FORM_FIELD,
  "item",
  "link",
  "name",
  "expiresOn",
  "downloads",
  "comments",
  "secret",
  "removeSecret",
  "before",
  "key",
];
/** Equals `PASSWORD_LENGTH` of accounts (`auth.server.ts`). */
const SECRET_LENGTH = { min: 8, max: 128 };
const PASSWORDS = { seconds: 60 * 60, perVisitor: 100, perLink: 100 };

export async function manageLinks({ request, context, projectId, sent }: Sent) {
  const intent = textOf(sent, INTENT_FIELD);
  if (intent !== CREATE_LINK && intent !== CHANGE_LINK) return null;
  checkFieldNames(sent, { once: FIELDS });
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const form = textOf(sent, FORM_FIELD);
  if (!config.publicLinks.enabled)
    return data<LinkAnswer>({ form, result: { status: "error", error: { "": [SWITCHED_OFF] } } }, UNPROCESSABLE);
  const { sessionId } = visitor;
  const values = {
    name: textOf(sent, "name"),
    expiresOn: textOf(sent, "expiresOn"),
    downloads: textOf(sent, "downloads"),
    comments: textOf(sent, "comments"),
  };
  const secret = textOf(sent, "secret");
  const refuse = (field: string, message: string) =>
    data<LinkAnswer>({ form, result: { status: "error", initialValue: values, error: { [field]: [message] } } }, UNPROCESSABLE);
  if (secret !== "" && (secret.length < SECRET_LENGTH.min || secret.length > SECRET_LENGTH.max))
    return refuse("secret", `Use ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} characters.`);
  const expiresAt = endOf(values.expiresOn);
  if (expiresAt === undefined) return refuse("expiresOn", "Enter the date as YYYY-MM-DD.");
  const settings = { name: values.name, downloads: values.downloads !== "", comments: values.comments !== "", expiresAt };
  const convex = serviceConvex(config);
  try {
    const itemId = (intent === CREATE_LINK && textOf(sent, "item")) || projectId;
    // Hashing is expensive, so only managers of links can trigger it, with a rate limit.
    if (secret !== "") {
      await convexFor(context).preload(api.links.getItem, { itemId });
      const wait = await countAttempts(config, { what: "password", of: visitor.user.id, address: "" }, PASSWORDS);
      if (wait > 0) return refuse("secret", "Too many password changes. Try again in an hour.");
    }
    const passwordHash = secret === "" ? null : await hashPassword(secret);
    if (intent === CHANGE_LINK) {
      const password = passwordHash !== null || textOf(sent, "removeSecret") !== "" ? { passwordHash } : {};
      const before = settingsBefore(textOf(sent, "before"));
      const change = {
        sessionId,
        projectId,
        linkId: textOf(sent, "link"),
        ...settings,
        ...password,
        ...(before && { before }),
        ...clientNetwork(context),
      };
      await convex.mutation(api.links.change, change, { skipQueue: true });
      return data<LinkAnswer>({ form, result: { status: "success" } });
    }
    const { tokenHash, sealedToken } = createLinkToken(config);
    const key = keyOf(textOf(sent, "key"), settings, secret);
    const stored = { tokenHash, sealedToken, passwordHash, ...(key !== null && { key }) };
    const created = { sessionId, itemId, ...stored, ...settings, ...clientNetwork(context) };
    await convex.mutation(api.links.create, created, { skipQueue: true });
    // A repeated form has created no link with this token. The page lists the first one.
    const isNew = (await convex.query(api.links.find, { tokenHash })) !== null;
    return data<LinkAnswer>({ form, result: { status: "success" }, ...(isNew && { link: linkAddress(config, sealedToken) ?? "" }) });
  } catch (error) {
    if (refusalOf(error)?.code === "unauthenticated") throw redirectToSignIn(request);
    return data<LinkAnswer>(...failedForm(error, form, values));
  }
}

/** A form that is sent again with other settings, for example after "Back", creates another link. */
function keyOf(formKey: string, settings: object, secret: string): string | null {
  if (formKey === "") return null;
  return createHash("sha256")
    .update(JSON.stringify([formKey, settings, secret]))
    .digest("base64url");
}

const shownSettings = z.object({
  name: z.string(),
  downloads: z.boolean(),
  comments: z.boolean().optional(),
  expiresAt: z.number().nullable(),
  hasPassword: z.boolean(),
});

/** Returns the settings that the form showed. Forms of the previous build do not send them. */
function settingsBefore(text: string): z.output<typeof shownSettings> | undefined {
  try {
    return shownSettings.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const SWITCHED_OFF = "The operator has turned off public links.";
const UNPROCESSABLE = { status: 422, statusText: "Unprocessable Content" };

/** Returns the end of the day in UTC; null without a day; undefined for another text. */
function endOf(day: string): number | null | undefined {
  if (day === "") return null;
  const end = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T23:59:59.999Z`) : NaN;
  return Number.isNaN(end) ? undefined : end;
}
