import { fetchWithRetryAfter } from "./retry-after";

/** Resolves with the complete response. If a page is left before the body ends, React Router's decoder leaves rejections unhandled. */
export async function completeFetch(request: Request): Promise<Response> {
  const response = await fetchWithRetryAfter(request);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}
