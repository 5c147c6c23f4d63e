import { Download } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import { buttonClass } from "~/lib/ui/inputs/button";

export function AuditExports({ path, searchOf }: { path: string; searchOf: (format: "csv" | "json") => string }) {
  return (
    <div className="flex flex-wrap gap-2">
      {(["csv", "json"] as const).map((format) => (
        <a key={format} href={`${path}?${searchOf(format)}`} download className={buttonClass()}>
          <Icon of={Download} />
          Export as {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}
