import { createContext, createCookie, type MiddlewareFunction, type RouterContextProvider } from "react-router";
import { isPrefetch } from "remix-utils/is-prefetch";
import * as z from "zod";
import type { AppConfig } from "~/config";
import { configContext } from "./context";
import { mutable } from "./mutable";
import { originOf } from "./origin.server";

/** What an action has to say on the page that it leads to. */
export type Flash = {
  /** Another one for each message, so that a page that is rendered again does not tell it again. */
  id: string;
  text: string;
  /** Where something can be done about it. */
  link?: FlashLink | undefined;
  /** Instead of a text: what was done, by a name that one of the page's forms knows and tells beside itself. */
  done?: string | undefined;
};
export type FlashLink = { to: string; name: string };

const NAME = "flash";
/** Whoever is not led on within this time, in seconds, is told nothing. */
const LIFETIME = 60;

const kept = z.object({
  id: z.string(),
  text: z.string(),
  done: z.string().optional(),
  link: z.object({ to: z.string(), name: z.string() }).optional(),
});

type Slot = { toTell: Omit<Flash, "id"> | null; taken: boolean };
const slotContext = createContext<Slot>();

/** Has the page that this request's redirect ends at say something. */
export function tell(context: Readonly<RouterContextProvider>, text: string, link?: FlashLink): void {
  context.get(slotContext).toTell = { text, ...(link && { link }) };
}

/** Has a form of the page that this request's redirect ends at say what was done. */
export function tellDone(context: Readonly<RouterContextProvider>, done: string): void {
  context.get(slotContext).toTell = { text: "", done };
}

/**
 * The message for this page, which is then said: null when there is none, and for a page that is only fetched ahead. It is used up once a page
 * was made of it: a further redirect leads it on.
 */
export async function takeFlash(request: Request, context: Readonly<RouterContextProvider>): Promise<Flash | null> {
  const sent = request.headers.get("Cookie");
  if (!sent?.includes(`${NAME}=`) || isPrefetch(request)) return null;
  const flash = kept.safeParse(await cookieFor(context.get(configContext), request).parse(sent));
  if (!flash.success) return null;
  context.get(slotContext).taken = true;
  return flash.data;
}

/** Carries messages over redirects, in a signed cookie: nobody else puts words into our mouth. */
export const flashMessages: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const slot: Slot = { toTell: null, taken: false };
  context.set(slotContext, slot);
  const response = await next();
  const cookie = () => cookieFor(context.get(configContext), request);
  if (slot.toTell !== null) return withCookie(response, await cookie().serialize({ id: crypto.randomUUID(), ...slot.toTell }));
  if (slot.taken && !isRedirect(response)) return withCookie(response, await cookie().serialize("", { maxAge: 0 }));
  return response;
};

function cookieFor(config: AppConfig, request: Request) {
  const secure = originOf(config, request).startsWith("https:");
  return createCookie(NAME, { httpOnly: true, maxAge: LIFETIME, path: "/", sameSite: "lax", secure, secrets: [config.secret] });
}

function withCookie(response: Response, line: string): Response {
  const answer = mutable(response);
  answer.headers.append("Set-Cookie", line);
  return answer;
}

/** To a script of React Router's a redirect goes as data, under this status of its own (`SINGLE_FETCH_REDIRECT_STATUS`). */
const AS_DATA = 202;

const isRedirect = ({ status }: Response) => (status >= 300 && status < 400) || status === AS_DATA;
