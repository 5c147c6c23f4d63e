import { Download } from "lucide";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";

export function DownloadLink({ archive, label }: { archive: string | undefined; label: string }) {
  if (archive === undefined) return null;
  return (
    <ButtonLink
      to={archive}
      reloadDocument
      prefetch="none"
      variant="ghost"
      size="icon-sm"
      aria-label={label}
      data-tooltip={label}
      data-command=""
    >
      <Icon of={Download} />
    </ButtonLink>
  );
}
