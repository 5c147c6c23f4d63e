import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startProxy } from "./proxy.ts";

const DECODER = "/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js";
const ADDRESS = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const PARTS = /<(script|style|title|textarea)\b[\s\S]*?<\/\1>|<[^>]*>|[^<]+/gi;

/** Hides email addresses in HTML as Cloudflare does. `removes`: first removes `no-transform`, which otherwise forbids it. */
export function startAddressHidingProxy(port: number, target: number, { removes }: { removes: boolean }) {
  return startProxy({
    port,
    target: () => target,
    intercept(request, response) {
      if (request.url === DECODER) {
        response.writeHead(200, { "Content-Type": "text/javascript" }).end(decoder);
        return true;
      }
      if (request.method !== "GET" || request.headers.accept?.includes("text/html") !== true) return false;
      const headers = { ...request.headers, "accept-encoding": "identity" };
      const onward = httpRequest({ host: "127.0.0.1", port: target, path: request.url, headers });
      onward.on("response", (answer: IncomingMessage) => void forward(answer, response, removes)).end();
      return true;
    },
  });
}

async function forward(answer: IncomingMessage, response: ServerResponse, removes: boolean): Promise<void> {
  const { "cache-control": cacheControl = "", "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
  const kept = removes ? cacheControl.replace(/,? ?no-transform/, "") : cacheControl;
  const html = await text(answer);
  const isHidden = headers["content-type"]?.startsWith("text/html") === true && !kept.includes("no-transform");
  response.writeHead(answer.statusCode ?? 502, { ...headers, "cache-control": kept }).end(isHidden ? withoutAddresses(html) : html);
}

const withoutAddresses = (html: string): string =>
  html
    .replaceAll(PARTS, (part) => (part.startsWith("<") ? part : part.replaceAll(ADDRESS, hidden)))
    .replace("</body>", `<script data-cfasync="false" src="${DECODER}"></script></body>`);

function hidden(address: string): string {
  const key = 0x5a;
  const code = [key, ...Buffer.from(address).map((byte) => byte ^ key)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</a>`;
}

const decoder = `for (const link of document.querySelectorAll(".__cf_email__")) {
  const bytes = link.dataset.cfemail.match(/../g).map((pair) => parseInt(pair, 16));
  link.replaceWith(document.createTextNode(String.fromCharCode(...bytes.slice(1).map((byte) => byte ^ bytes[0]))));
}`;
