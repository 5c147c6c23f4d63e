import { ConvexError } from "convex/values";
import { type FunctionArgs, getFunctionName } from "convex/server";
import { type ActionFunctionArgs, data, redirect, type RouterContextProvider } from "react-router";
import { z } from "zod";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor } from "~/features/accounts/session/session.server";
import { commentIntents } from "~/features/comments/comment-intents";
import type { LinkAuthor } from "~/features/comments/link-commenting";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { failedForm } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { readForm, textOf } from "~/lib/forms/intents";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { readBody } from "~/lib/http/forms/body.server";
import { readFormData } from "~/lib/http/forms/form.server";
import { api } from "#convex/_generated/api";
import type { Refusal } from "#convex/model/errors";
import { guestCookies, guestOf, type LinkGuest, newGuestId } from "./link-guest.server";
import { countAttempts, type OpenedLink, unlockedLink } from "../open-link.server";

type Context = Readonly<RouterContextProvider>;
type Sent = { request: Request; context: Context };
type Call = keyof typeof api.linkComments;
type Written = { me: LinkAuthor; cookies: string[] };

const LIMIT = { seconds: 10 * 60, perVisitor: 40, perLink: 400 };

const { startThread, replyToThread, editComment, removeComment } = commentIntents;
const INTENTS = { startThread, replyToThread, editComment, removeComment };
const GUEST_NAME = "name";

export async function commenterOf(request: Request, context: Context, link: OpenedLink): Promise<LinkAuthor | null> {
  if (!link.comments) return null;
  const user = (await getVisitor(context))?.user;
  if (user) return { userId: user.id, name: user.name || user.email, isGuest: false };
  return toAuthor(guestOf(context.get(configContext), request, link) ?? { id: "", name: "" });
}

const toAuthor = ({ id, name }: LinkGuest): LinkAuthor => ({ userId: id, name, isGuest: true });

export async function linkCommentsAction({ request, context, url }: ActionFunctionArgs) {
  const sent = await readFormData(request);
  sent.delete("imageIds");
  const { intent, form, values } = readForm(INTENTS, sent, [GUEST_NAME]);
  const name = sent.has(GUEST_NAME) ? textOf(sent, GUEST_NAME) : undefined;
  const written: Written[] = [];
  try {
    await intent.run(async (mutation, args) => {
      const call = callNamed(getFunctionName(mutation).split(":")[1]);
      written.push(await write({ request, context }, call, args, name));
    }, values);
  } catch (error) {
    return data<FormAnswer>(...failedForm(error, form, name === undefined ? values : { ...values, name }));
  }
  const response = redirect(url.pathname + url.search, 303);
  for (const cookie of written.flatMap(({ cookies }) => cookies)) response.headers.append("Set-Cookie", cookie);
  return response;
}

const CALLS: readonly Call[] = ["startThread", "reply", "edit", "remove"];

function callNamed(name: unknown): Call {
  const call = CALLS.find((each) => each === name);
  if (!call) throw new Error(`No comment intent: ${String(name)}`);
  return call;
}

const text = z.string().max(20_000);
const id = z.string().max(64);
const anchor = z.strictObject({ x: z.number(), y: z.number(), width: z.number().optional(), height: z.number().optional() });
const name = z.string().max(1000).optional();
const sentChange = z.discriminatedUnion("call", [
  z.object({
    call: z.literal("startThread"),
    name,
    args: z.strictObject({ itemId: id, text, key: id, versionId: id.optional(), anchor: anchor.optional() }),
  }),
  z.object({ call: z.literal("reply"), name, args: z.strictObject({ threadId: id, text, key: id }) }),
  z.object({ call: z.literal("edit"), name, args: z.strictObject({ commentId: id, text, from: text.optional() }) }),
  z.object({ call: z.literal("remove"), name, args: z.strictObject({ commentId: id }) }),
]);

export async function linkCommentsApi({ request, context }: Sent): Promise<Response> {
  await unlockedLink(context);
  const headers = new Headers({ "Cache-Control": "no-store" });
  const sent = sentChange.safeParse(parsed(await readBody(request, BODY_MAX)));
  if (!sent.success)
    return Response.json({ refusal: { code: "invalid", message: "Invalid input" } satisfies Refusal }, { status: 400, headers });
  const { call, args, name } = sent.data;
  try {
    const { me, cookies } = await write({ request, context }, call, args, name);
    for (const cookie of cookies) headers.append("Set-Cookie", cookie);
    return Response.json({ me }, { headers });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return Response.json({ refusal }, { status: refusal.code === "limit" ? 429 : 422, headers });
  }
}

/** Bytes of a request with the longest text, escaped. */
const BODY_MAX = 100_000;

function parsed(body: Uint8Array | null): unknown {
  try {
    return body && JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

async function write({ request, context }: Sent, call: Call, args: object, sentName: string | undefined): Promise<Written> {
  const link = await unlockedLink(context);
  if (!link.comments) throw notFoundResponse();
  const config = context.get(configContext);
  const attempt = { what: "comment", of: link.linkId, address: context.get(clientAddressContext) } as const;
  if ((await countAttempts(config, attempt, LIMIT)) > 0) throw tooMany();
  const visitor = await getVisitor(context);
  const known = visitor ? null : guestOf(config, request, link);
  const guest = { id: known?.id ?? newGuestId(), name: (sentName ?? known?.name ?? "").trim() };
  const writer = visitor
    ? { sessionId: visitor.sessionId }
    : { guest: known && call !== "startThread" && call !== "reply" ? known : guest };
  const reference = { linkId: link.linkId, lock: link.lock };
  try {
    await run(context, call, { ...args, ...reference, ...writer });
  } catch (error) {
    // The link or the session has ended since the request began.
    if (refusalOf(error)?.code === "unauthenticated") throw notFoundResponse();
    throw error;
  }
  if (visitor) return { me: { userId: visitor.user.id, name: visitor.user.name || visitor.user.email, isGuest: false }, cookies: [] };
  return { me: toAuthor(guest), cookies: guestCookies(config, request, link, guest) };
}

const run = (context: Context, call: Call, args: object): Promise<unknown> =>
  serviceConvex(context.get(configContext)).mutation(api.linkComments[call], args as FunctionArgs<(typeof api.linkComments)[Call]>, {
    skipQueue: true,
  });

const tooMany = () => new ConvexError<Refusal>({ code: "limit", message: "Too many comments through this link. Try again in 10 minutes." });
