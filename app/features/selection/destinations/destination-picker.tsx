import { lazy, Suspense, useEffect, useState } from "react";
import { type DestinationRequest, onDestinationRequest } from "./request-destination";

const DestinationDialog = lazy(() => import("./destination-dialog"));

export function DestinationPicker() {
  const [request, setRequest] = useState<DestinationRequest | null>(null);
  useEffect(() => onDestinationRequest((next) => setRequest({ ...next })), []);
  if (!request) return null;
  return (
    <Suspense fallback={null}>
      <DestinationDialog key={request.ids.join()} request={request} onClose={() => setRequest(null)} />
    </Suspense>
  );
}
