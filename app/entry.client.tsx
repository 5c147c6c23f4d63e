import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { completeFetch } from "~/lib/data/connection/complete-fetch";
import { hideAdministration } from "~/features/administration/hide-administration";
import { preserveFields, RestoreFields } from "~/lib/rendering/preserve-fields";

hideAdministration();
const fields = preserveFields(document);

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RestoreFields fields={fields}>
        <HydratedRouter unstable_fetch={completeFetch} />
      </RestoreFields>
    </StrictMode>,
  );
});
