import { Copy, Download, Printer } from "lucide";
import { useRoot } from "~/lib/data/use-root";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { toast } from "~/lib/ui/overlays/toasts";

export function BackupCodes({ codes }: { codes: string[] }) {
  const email = useRoot()?.user?.email ?? "";
  const text = codes.join("\n");
  const copy = async () => {
    try {
      // oxlint-disable-next-line no-restricted-properties -- on plain http this throws, and the message offers the download
      await navigator.clipboard.writeText(text);
      void toast("Backup codes copied");
    } catch {
      void toast("The browser blocked copying. Select or download the codes.");
    }
  };
  return (
    <div className="grid max-w-md gap-3" data-print="sheet">
      <p className="hidden print:block">
        Backup codes for Atelier, {email}. Each code works once, in place of a code from the authenticator app.
      </p>
      <ul aria-label="Backup codes" className="tabular grid grid-cols-2 gap-x-6 gap-y-1 rounded-md border bg-panel p-4 font-mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2" data-print="hide">
        <Button size="sm" className="noscript:hidden" onClick={() => void copy()}>
          <Icon of={Copy} />
          Copy
        </Button>
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`Backup codes for Atelier. Each code works once.\n\n${text}\n`)}`}
          download="atelier-backup-codes.txt"
          className={buttonClass({ size: "sm" })}
        >
          <Icon of={Download} />
          Download
        </a>
        <Button size="sm" className="noscript:hidden" onClick={() => print()}>
          <Icon of={Printer} />
          Print
        </Button>
      </div>
    </div>
  );
}
