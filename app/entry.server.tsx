import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, type HandleErrorFunction, isRouteErrorResponse, type RouterContextProvider, ServerRouter } from "react-router";
import { collectChunks } from "~/lib/http/forms/collected.server";
import { configContext, nonceContext } from "~/lib/http/context";
import { log } from "~/lib/http/telemetry/log.server";
import { instrumentation } from "~/lib/http/telemetry/observe.server";
import { linkHeader } from "~/lib/rendering/link-header.server";
import { plainPage } from "~/lib/rendering/plain-page.server";

export const streamTimeout = 5_000;

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
  const plainHtml = production && request.method === "GET" && status === 200 ? await plainPage(request, entry, context) : null;
  return new Response(plainHtml ?? (await streamed(request, entry, context)), { status, headers });
}

function streamed(request: Request, entry: EntryContext, context: RouterContextProvider): Promise<ReadableStream<Uint8Array>> {
  const nonce = context.get(nonceContext);
  return new Promise((resolve, reject) => {
    let started = false;
    const answer = () => {
      started = true;
      const { body, into } = collectChunks();
      into.on("close", () => clearTimeout(timer));
      resolve(body);
      pipe(into);
    };
    const waits = isbot(request.headers.get("User-Agent"));
    const { pipe, abort } = renderToPipeableStream(<ServerRouter context={entry} url={request.url} nonce={nonce} />, {
      nonce,
      [waits ? "onAllReady" : "onShellReady"]: answer,
      onShellError: reject,
      // Errors in the shell also reach `handleError`. Later errors reach only this callback.
      onError: (error: unknown) => {
        if (started) log.error({ error }, "a page failed while it was streamed");
      },
    });
    const timer = setTimeout(abort, streamTimeout + 1_000);
  });
}

export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted) return;
  if (isRouteErrorResponse(error) && error.status < 500) log.warn({ status: error.status }, "a request was refused");
  else log.error({ error }, "a request failed");
};

export const instrumentations = [instrumentation];
