export type DestinationRequest = {
  kind: "design" | "image";
  ids: readonly string[];
  from: string | undefined;
  staysOnPage: boolean;
  count?: number;
  fields?: readonly [string, string][];
};

const listeners = new Set<(request: DestinationRequest) => void>();

export function requestDestination(request: DestinationRequest): boolean {
  for (const listener of listeners) listener(request);
  return listeners.size > 0;
}

export function onDestinationRequest(listener: (request: DestinationRequest) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
