import { lazy, Suspense, useEffect, useState } from "react";
import { DropDesigns } from "./drop-designs";
import { type DestinationRequest, onDestinationRequest } from "./request-destination";

const DestinationDialog = lazy(() => import("./destination-dialog"));

export function DestinationPicker() {
  const [request, setRequest] = useState<DestinationRequest | null>(null);
  useEffect(() => onDestinationRequest((next) => setRequest({ ...next })), []);
  return (
    <>
      <DropDesigns />
      {request ? (
        <Suspense fallback={null}>
          <DestinationDialog key={request.ids.join()} request={request} onClose={() => setRequest(null)} />
        </Suspense>
      ) : null}
    </>
  );
}
