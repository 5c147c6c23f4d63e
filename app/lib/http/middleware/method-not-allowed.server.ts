export const methodNotAllowed =
  (...allowed: string[]) =>
  (): Response =>
    new Response("Method Not Allowed\n", {
      status: 405,
      headers: { Allow: allowed.join(", "), "Content-Type": "text/plain; charset=utf-8" },
    });
