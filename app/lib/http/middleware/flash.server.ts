import { createContext, createCookie, type MiddlewareFunction, type RouterContextProvider } from "react-router";
import { isPrefetch } from "remix-utils/is-prefetch";
import * as z from "zod";
import type { AppConfig } from "~/config";
import { configContext } from "../context";
import { withMutableHeaders } from "../mutable-headers";
import { originOf } from "../origin.server";

export type Flash = {
  /** Unique, so that rerendering does not show a message twice. */
  id: string;
  text: string;
  undo?: FlashUndo | undefined;
  done?: string | undefined;
  /** Path of the only page that shows the message, so that a reload of another tab does not consume it. */
  path?: string | undefined;
};
export type FlashUndo = { step: string; redo: boolean };

const NAME = "flash";
const LIFETIME = 60;

const flashSchema = z.object({
  id: z.string(),
  text: z.string(),
  done: z.string().optional(),
  path: z.string().optional(),
  undo: z.object({ step: z.string(), redo: z.boolean() }).optional(),
});

type Slot = { message: Omit<Flash, "id"> | null; isConsumed: boolean };
const slotContext = createContext<Slot>();

export function setFlash(context: Readonly<RouterContextProvider>, text: string, undo?: FlashUndo): void {
  context.get(slotContext).message = { text, ...(undo && { undo }) };
}

export function setFlashCode(context: Readonly<RouterContextProvider>, done: string, path: string): void {
  context.get(slotContext).message = { text: "", done, path };
}

export const hasFlash = ({ headers }: Request): boolean => /(?:^|; )flash=[^;]/.test(headers.get("Cookie") ?? "");

/** Returns the message for this page. Prefetches and redirects do not consume it. */
export async function takeFlash(request: Request, context: Readonly<RouterContextProvider>): Promise<Flash | null> {
  const sent = request.headers.get("Cookie");
  if (!sent?.includes(`${NAME}=`) || isPrefetch(request)) return null;
  const flash = flashSchema.safeParse(await cookieFor(context.get(configContext), request).parse(sent));
  if (!flash.success) return null;
  if (flash.data.path !== undefined && flash.data.path !== new URL(request.url).pathname) return null;
  context.get(slotContext).isConsumed = true;
  return flash.data;
}

/** Carries messages over redirects in a signed cookie, so that no other site can forge one. */
export const flashMessages: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const slot: Slot = { message: null, isConsumed: false };
  context.set(slotContext, slot);
  const response = await next();
  const cookie = () => cookieFor(context.get(configContext), request);
  if (slot.message !== null) return withCookie(response, await cookie().serialize({ id: crypto.randomUUID(), ...slot.message }));
  if (slot.isConsumed && !isRedirect(response)) return withCookie(response, await cookie().serialize("", { maxAge: 0 }));
  return response;
};

function cookieFor(config: AppConfig, request: Request) {
  const secure = originOf(config, request).startsWith("https:");
  return createCookie(NAME, { httpOnly: true, maxAge: LIFETIME, path: "/", sameSite: "lax", secure, secrets: [config.secret] });
}

function withCookie(response: Response, line: string): Response {
  const answer = withMutableHeaders(response);
  answer.headers.append("Set-Cookie", line);
  return answer;
}

/** React Router's status for redirects of data requests (`SINGLE_FETCH_REDIRECT_STATUS`). */
const AS_DATA = 202;

const isRedirect = ({ status }: Response) => (status >= 300 && status < 400) || status === AS_DATA;
