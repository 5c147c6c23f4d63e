import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, type RouterContextProvider, ServerRouter } from "react-router";
import { nonceContext } from "~/http/context";
import { log } from "~/http/log.server";
import { metrics } from "~/http/metrics.server";
import { ClockContext } from "~/ui/clock";
import { createKeptPages, type PageSource } from "./kept-pages.server";
import { onceValues } from "./once.server";
import { isPlainData } from "./same-data";
import { filled, type Template, templateOf } from "./template.server";

/** A list of fifty is a third of a megabyte. */
const KEPT_BYTES = 64 * 1024 * 1024;

const kept = createKeptPages(KEPT_BYTES);

/** Longer than any page takes that waits for nothing. */
const RENDERING_MS = 10_000;

/** Gaps of a page's markup: what each answer has of its own. */
const NONCE = "nonce";
const DATA = "data";

/**
 * A page that answers no form, has no fault, and waits for nothing: as bytes, of markup that was made of the same data where there is some. What each
 * answer has of its own is put in anew: the nonce, the data that the browser goes on with, values that are used once.
 * @returns null for any other page
 */
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
  let template = kept.find(source);
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

/** Renders it, and keeps its markup. Rejects with what broke it. */
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
          log.error({ error }, "a part of a page broke");
        },
      },
    );
    timer = setTimeout(abort, RENDERING_MS);
  }).finally(() => clearTimeout(timer));
  const marks = new Map([
    [NONCE, nonce],
    // In the script it is a string, with its quotes.
    [DATA, JSON.stringify(data)],
    ...source.once.map((value, index) => [`once ${index}`, value] as const),
  ]);
  const template = templateOf(html, marks);
  if (!broke) kept.keep(source, template, until);
  return template;
}

/** Stands for the page's data while it is rendered. */
function streamOf(mark: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(mark));
      controller.close();
    },
  });
}

/** Text inside a script's element, as React Router escapes it: nothing in it ends the element, or begins another (HTML, 13.1.2.6). */
const inScript = (json: string) => json.replace(/[&><\u2028\u2029]/g, (character) => ESCAPED[character] ?? character);

const ESCAPED: Record<string, string> = {
  "&": String.raw`\u0026`,
  ">": String.raw`\u003e`,
  "<": String.raw`\u003c`,
  "\u2028": String.raw`\u2028`,
  "\u2029": String.raw`\u2029`,
};
