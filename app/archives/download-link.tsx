import { Download } from "lucide-react";
import { ButtonLink } from "~/ui/button";
import { Icon } from "~/ui/icon";

/** Downloads what the page is about. A document navigation, which the browser turns into a saved file. */
export function DownloadLink({ archive, label }: { archive: string | undefined; label: string }) {
  if (archive === undefined) return null;
  return (
    <ButtonLink
      to={archive}
      reloadDocument
      prefetch="none"
      look="ghost"
      size="icon-sm"
      aria-label={label}
      data-tooltip={label}
      data-command=""
    >
      <Icon of={Download} />
    </ButtonLink>
  );
}
