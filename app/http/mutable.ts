/** The same response with headers that can be set: one that came from `fetch`, or from `Response.redirect`, keeps them as they are. */
export function mutable(response: Response): Response {
  try {
    response.headers.delete("X-Powered-By");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}
