let notBefore = 0;

/** Stores `Retry-After` of a response, because React Router's errors have no headers. */
export async function fetchWithRetryAfter(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (!response.ok) notBefore = Date.now() + delayOf(response.headers.get("Retry-After"));
  return response;
}

export const retryDelay = (): number => Math.max(0, notBefore - Date.now());

/** Parses `Retry-After` (RFC 9110, 10.2.3). Returns ms. */
export function delayOf(header: string | null): number {
  if (header === null) return 0;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(delay) ? Math.max(0, delay) : 0;
}
