import { Copy } from "lucide";
import { Icon } from "../icons/icon";
import { toast } from "../overlays/toasts";
import { Button } from "./button";
import { TextInput } from "./text-input";

type CopyFieldProps = { value: string; label: string; copied?: string };

export function CopyField({ value, label, copied = "Link copied" }: CopyFieldProps) {
  return (
    <div className="flex min-w-0 flex-1 gap-2">
      <TextInput aria-label={label} readOnly value={value} onFocus={({ target }) => target.select()} />
      <Button className="noscript:hidden" onClick={() => void copyText(value, copied)}>
        <Icon of={Copy} />
        Copy
      </Button>
    </div>
  );
}

async function copyText(text: string, copied: string): Promise<void> {
  try {
    // oxlint-disable-next-line no-restricted-properties -- on plain http this throws, and the text can be selected
    await navigator.clipboard.writeText(text);
    void toast(copied);
  } catch {
    void toast("The browser blocked copying. Select the text and copy it.");
  }
}
