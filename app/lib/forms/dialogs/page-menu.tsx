import { Ellipsis } from "lucide";
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { Menu } from "~/lib/ui/overlays/menu";

type PageMenuProps = Pick<ButtonProps, "size"> & {
  thing: string;
  children: ReactNode;
};

export function PageMenu({ thing, size = "icon-sm", children }: PageMenuProps) {
  const id = `more-${thing}`;
  return (
    <>
      <Button variant="ghost" size={size} popoverTarget={id} aria-label={`More for this ${thing}`} data-tooltip="More">
        <Icon of={Ellipsis} />
      </Button>
      <Menu id={id} label={`More for this ${thing}`} className="w-52 min-w-0">
        {children}
      </Menu>
    </>
  );
}
