/** Returns the response with mutable headers; those of `fetch` and `Response.redirect` are immutable. */
export function withMutableHeaders(response: Response): Response {
  try {
    response.headers.delete("X-Powered-By");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}
