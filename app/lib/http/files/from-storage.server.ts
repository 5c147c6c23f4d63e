import type { AppConfig } from "~/config";
import { Unavailable } from "~/lib/http/unavailable.server";
import { storageAddress } from "./storage-address.server";

/** Keeps each response as long as its body: Node cancels the body of a collected response, which then appears to end (nodejs/undici#3199). */
const responses = new WeakMap<ReadableStream, Response>();

/** Throws `Unavailable` when the storage does not respond. */
export async function fromStorage(
  config: Pick<AppConfig, "convexUrl" | "browserConvex">,
  url: string,
  init: RequestInit,
): Promise<Response> {
  try {
    const response = await fetch(storageAddress(config, url), init);
    if (response.body) responses.set(response.body, response);
    return response;
  } catch (cause) {
    throw new Unavailable("The storage is not responding", { cause });
  }
}
