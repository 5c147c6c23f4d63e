import { type ComponentType, createElement, useEffect, useState } from "react";
import { loadModule } from "~/lib/data/connection/load-module";
import { toast } from "~/lib/ui/overlays/toasts";
import { DropDesigns } from "./drop-designs";
import { type DestinationRequest, onDestinationRequest } from "./request-destination";

type OpenDialog = { dialog: ComponentType<{ request: DestinationRequest; onClose: () => void }>; request: DestinationRequest };

export function DestinationPicker() {
  const [opened, setOpened] = useState<OpenDialog | null>(null);
  useEffect(
    () =>
      onDestinationRequest((request) => {
        loadModule(() => import("./destination-dialog")).then(
          ({ DestinationDialog }) => setOpened({ dialog: DestinationDialog, request: { ...request } }),
          () => toast("The connection was lost, so nothing was moved or copied. Try again when it is back."),
        );
      }),
    [],
  );
  return (
    <>
      <DropDesigns />
      {opened && createElement(opened.dialog, { key: opened.request.ids.join(), request: opened.request, onClose: () => setOpened(null) })}
    </>
  );
}
