import { data, type RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { refusalOf } from "~/lib/data/error-responses";
import { failedForm } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { FORM_FIELD, INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { api } from "#convex/_generated/api";
import { invalid } from "#convex/model/errors";
import { CREATE_WEBHOOK, WEBHOOK_EVENTS } from "./webhook-intents";
import { createWebhookSecret } from "./webhook-secret.server";

type WebhookAnswer = FormAnswer & { secret?: string };

type Sent = { request: Request; context: Readonly<RouterContextProvider>; projectId: string; sent: FormData };

export async function createWebhook({ request, context, projectId, sent }: Sent) {
  if (textOf(sent, INTENT_FIELD) !== CREATE_WEBHOOK) return null;
  checkFieldNames(sent, { once: [INTENT_FIELD, FORM_FIELD, "url", ...FIELDS] });
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const form = textOf(sent, FORM_FIELD);
  const values = { url: textOf(sent, "url").trim(), ...Object.fromEntries(FIELDS.map((field) => [field, textOf(sent, field)])) };
  const refuse = (message: string) => data<WebhookAnswer>(...failedForm(invalid({ url: [message] }), form, values));
  if (!config.webhooks) return refuse("Webhooks are turned off.");
  const url = URL.parse(values.url);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    return refuse("Enter an address that begins with https:// and has no password.");
  const { secret, sealedSecret } = createWebhookSecret(config);
  try {
    const webhook = {
      sessionId: visitor.sessionId,
      projectId,
      url: url.href,
      sealedSecret,
      events: WEBHOOK_EVENTS.filter(({ field }) => sent.has(field)).map(({ event }) => event),
      ...clientNetwork(context),
    };
    await serviceConvex(config).mutation(api.webhooks.create, webhook, { skipQueue: true });
    return data<WebhookAnswer>({ form, result: { status: "success" }, secret });
  } catch (error) {
    if (refusalOf(error)?.code === "unauthenticated") throw redirectToSignIn(request);
    return data<WebhookAnswer>(...failedForm(error, form, values));
  }
}

const FIELDS = WEBHOOK_EVENTS.map(({ field }) => field);
