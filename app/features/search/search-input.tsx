import { Search } from "lucide";
import type { ComponentProps, ReactNode } from "react";
import { Icon } from "~/lib/ui/icons/icon";
import { TextInput } from "~/lib/ui/inputs/text-input";

export function SearchInput({ hint, ...props }: Omit<ComponentProps<typeof TextInput>, "className"> & { hint?: ReactNode }) {
  return (
    <span className="group/search relative block">
      <Icon of={Search} className="pointer-events-none absolute top-1/2 start-3 -translate-y-1/2 text-faint" />
      <TextInput type="search" name="q" autoComplete="off" spellCheck={false} enterKeyHint="search" {...props} className="peer ps-9" />
      {hint}
    </span>
  );
}
