import { MoreHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Menu } from "~/ui/menu";

type PageMenuProps = Pick<ButtonProps, "size"> & {
  /** "project", "design": what the page is about. */
  thing: string;
  children: ReactNode;
};

/** What else can be done with what a page is about: what its card's menu has where it is one among others. */
export function PageMenu({ thing, size = "icon-sm", children }: PageMenuProps) {
  const id = `more-${thing}`;
  return (
    <>
      <Button look="ghost" size={size} popoverTarget={id} aria-label={`More for this ${thing}`} data-tooltip="More">
        <Icon of={MoreHorizontal} />
      </Button>
      <Menu id={id} label={`More for this ${thing}`} className="w-52 min-w-0">
        {children}
      </Menu>
    </>
  );
}
