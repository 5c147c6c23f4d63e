import { fetchWithRetryAfter } from "./retry-after";

/** Resolves with the complete response. React Router's decoder leaves rejections unhandled if the user leaves the page before the body ends. */
export async function completeFetch(request: Request): Promise<Response> {
  const response = await fetchWithRetryAfter(request);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}
