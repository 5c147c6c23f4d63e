import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, type RouterContextProvider, ServerRouter } from "react-router";
import { nonceContext } from "~/lib/http/context";
import { log } from "~/lib/http/telemetry/log.server";
import { metrics } from "~/lib/http/telemetry/metrics.server";
import { ClockContext } from "~/lib/ui/time/clock";
import { createMarkupCache, type PageSource } from "./markup-cache.server";
import { onceValues } from "./send-once.server";
import { isPlainData } from "./deduplicate-data";
import { filled, type Template, templateOf } from "./template.server";

const KEPT_BYTES = 64 * 1024 * 1024;

const cache = createMarkupCache(KEPT_BYTES);

const RENDERING_MS = 10_000;

const NONCE = "nonce";
const DATA = "data";

/** Returns a page as bytes; null after a form action, with an error, or with pending data, which cannot be cached. */
export async function plainPage(
  request: Request,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { loaderData, actionData, errors, location } = entry.staticHandlerContext;
  const data = entry.serverHandoffStream;
  if (actionData || errors || !data) return null;
  const once = onceValues(context);
  const source: PageSource = { address: location.pathname + location.search, loaderData, once };
  let template = cache.find(source);
  metrics.pages.inc({ markup: template ? "kept" : "made" });
  if (!template) {
    if (!isPlainData(loaderData)) return null;
    template = await rendered(request, entry, context, source);
  }
  const own = new Map([
    [NONCE, context.get(nonceContext)],
    [DATA, inScript(JSON.stringify(await text(data)))],
    ...once.map((value, index) => [`once ${index}`, value] as const),
  ]);
  return filled(template, own);
}

async function rendered(request: Request, entry: EntryContext, context: RouterContextProvider, source: PageSource): Promise<Template> {
  const nonce = context.get(nonceContext);
  const data = crypto.randomUUID();
  let until = Infinity;
  const clock = { now: Date.now(), changesAt: (at: number) => void (until = Math.min(until, at)) };
  let broke = false;
  let timer: NodeJS.Timeout | undefined;
  const html = await new Promise<string>((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <ClockContext value={clock}>
        <ServerRouter context={{ ...entry, serverHandoffStream: streamOf(data) }} url={request.url} nonce={nonce} />
      </ClockContext>,
      {
        nonce,
        onAllReady() {
          const chunks: Buffer[] = [];
          const into = new Writable({
            write(chunk: Buffer, _, done) {
              chunks.push(chunk);
              done();
            },
          });
          into.once("finish", () => resolve(Buffer.concat(chunks).toString()));
          pipe(into);
        },
        onShellError: reject,
        onError(error) {
          broke = true;
          log.error({ error }, "a part of a page could not be rendered");
        },
      },
    );
    timer = setTimeout(abort, RENDERING_MS);
  }).finally(() => clearTimeout(timer));
  const placeholders = new Map([
    [NONCE, nonce],
    [DATA, JSON.stringify(data)],
    ...source.once.map((value, index) => [`once ${index}`, value] as const),
  ]);
  const template = templateOf(html, placeholders);
  if (!broke) cache.store(source, template, until);
  return template;
}

function streamOf(placeholder: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(placeholder));
      controller.close();
    },
  });
}

/** Escapes text in a script element as React Router does, so that it cannot end the element (HTML, 13.1.2.6). */
const inScript = (json: string) => json.replace(/[&><\u2028\u2029]/g, (character) => ESCAPED[character] ?? character);

const ESCAPED: Record<string, string> = {
  "&": String.raw`\u0026`,
  ">": String.raw`\u003e`,
  "<": String.raw`\u003c`,
  "\u2028": String.raw`\u2028`,
  "\u2029": String.raw`\u2029`,
};
