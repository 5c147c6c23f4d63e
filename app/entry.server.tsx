import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, type HandleErrorFunction, type RouterContextProvider, ServerRouter } from "react-router";
import { collected } from "~/http/collected.server";
import { configContext, nonceContext } from "~/http/context";
import { log } from "~/http/log.server";
import { instrumentation } from "~/http/observe.server";
import { linkHeader } from "~/rendering/link-header.server";
import { plainPage } from "~/rendering/plain-page.server";

/** How long a page may wait for data that is streamed into it, in milliseconds. */
export const streamTimeout = 5_000;

/** Renders a page, or answers with the markup of one that was made of the same data. Its scripts carry the response's nonce. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  headers.set("Content-Type", "text/html; charset=utf-8");
  const styles = linkHeader(entry);
  if (styles) headers.append("Link", styles);
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const { production } = context.get(configContext);
  const whole = production && request.method === "GET" && status === 200 ? await plainPage(request, entry, context) : null;
  return new Response(whole ?? (await streamed(request, entry, context)), { status, headers });
}

/**
 * Renders a page as a stream: its shell at once, for a crawler all of it.
 * @see https://react.dev/reference/react-dom/server/renderToPipeableStream
 */
function streamed(request: Request, entry: EntryContext, context: RouterContextProvider): Promise<ReadableStream<Uint8Array>> {
  const nonce = context.get(nonceContext);
  return new Promise((resolve, reject) => {
    let started = false;
    const answer = () => {
      started = true;
      const { body, into } = collected();
      into.on("close", () => clearTimeout(timer));
      resolve(body);
      pipe(into);
    };
    const waits = isbot(request.headers.get("User-Agent"));
    const { pipe, abort } = renderToPipeableStream(<ServerRouter context={entry} url={request.url} nonce={nonce} />, {
      nonce,
      [waits ? "onAllReady" : "onShellReady"]: answer,
      onShellError: reject,
      // A fault in the shell rejects and is told by `handleError`; one after it can only be told here.
      onError: (error: unknown) => {
        if (started) log.error({ error }, "a page broke while it was being sent");
      },
    });
    // React Router gives streamed data up first; then what still waits for it is given up too.
    const timer = setTimeout(abort, streamTimeout + 1_000);
  });
}

/** Tells of faults; that somebody left before the answer is none. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (!request.signal.aborted) log.error({ error }, "a request failed");
};

export const instrumentations = [instrumentation];
