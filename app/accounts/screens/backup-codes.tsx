import { Copy, Download, Printer } from "lucide-react";
import { useRoot } from "~/data/use-root";
import { Button, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { toast } from "~/ui/toasts";

/** Backup codes, shown once: to copy, to save as a file, to print. Saving needs no script. */
export function BackupCodes({ codes }: { codes: string[] }) {
  const email = useRoot()?.user?.email ?? "";
  const text = codes.join("\n");
  const copy = async () => {
    // Without https there is no clipboard, and a browser may refuse it.
    try {
      await navigator.clipboard.writeText(text);
      void toast("Backup codes copied");
    } catch {
      void toast("This browser does not let us copy. Select the codes, or download them.");
    }
  };
  return (
    <div className="grid max-w-md gap-3" data-print="sheet">
      <p className="hidden print:block">
        Backup codes for Atelier, {email}. Each opens the account once, in place of a code from the authenticator app.
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
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`Backup codes for Atelier. Each opens the account once.\n\n${text}\n`)}`}
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
