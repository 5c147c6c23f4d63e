import { Copy } from "lucide-react";
import { Icon } from "../icons/icon";
import { toast } from "../overlays/toasts";
import { Button } from "./button";
import { TextInput } from "./text-input";

export function CopyField({ link, label }: { link: string; label: string }) {
  return (
    <div className="flex min-w-0 flex-1 gap-2">
      <TextInput aria-label={label} readOnly value={link} onFocus={({ target }) => target.select()} />
      <Button className="noscript:hidden" onClick={() => void copyText(link)}>
        <Icon of={Copy} />
        Copy
      </Button>
    </div>
  );
}

async function copyText(text: string): Promise<void> {
  try {
    // oxlint-disable-next-line no-restricted-properties -- on plain http this throws, and the link can be selected
    await navigator.clipboard.writeText(text);
    void toast("Link copied");
  } catch {
    void toast("The browser blocked copying. Select the link and copy it.");
  }
}
