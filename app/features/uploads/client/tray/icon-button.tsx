import type { ReactNode } from "react";
import { Icon } from "~/lib/ui/icons/icon";
import { Button, type ButtonProps } from "~/lib/ui/inputs/button";

export function IconButton({ label, icon, ...rest }: { label: string; icon: Parameters<typeof Icon>[0]["of"] } & ButtonProps): ReactNode {
  return (
    <Button variant="ghost" size="icon-sm" aria-label={label} {...rest}>
      <Icon of={icon} />
    </Button>
  );
}
