import type { ComponentProps, ReactNode } from "react";
import { Mosaic } from "~/features/images/display/mosaic";
import { DragHandle } from "~/features/reordering/drag-handle";
import { cardTargetProps } from "~/features/uploads/client/file-selection/drop-target";
import { useMay } from "~/lib/rights/rights";
import { isPending } from "~/lib/data/pending";
import { ItemMenu } from "~/lib/forms/dialogs/item-menu";
import { FavouriteIcon } from "~/lib/ui/icons/favourite-icon";
import { UnreadMark } from "~/lib/ui/icons/unread-mark";
import { ItemCard } from "~/lib/ui/item-card";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { Project } from "./intents";
import { MemberAvatars } from "./member-avatars";

export type OpenDialog = ComponentProps<typeof ItemMenu>["openDialog"];

/** Joins names, which have no line breaks, into one text: a new array would rerender memoized cards. */
export const SEPARATOR = "\n";

type ContainerCardProps = Pick<ComponentProps<typeof ItemCard>, "pick" | "picking"> &
  Pick<ComponentProps<typeof ItemMenu>, "remove" | "select"> & {
    kind: "project" | "design";
    item: { _id: string } & Pick<Project, "name" | "favourite" | "updatedAt" | "cover" | "isUnread">;
    to: string;
    archive: string | undefined;
    counts: readonly string[];
    people?: string;
    openDialog: OpenDialog;
    isManual: boolean;
    mark?: ReactNode;
    children: ReactNode;
  };

export function ContainerCard({
  kind,
  item,
  to,
  archive,
  counts,
  people = "",
  openDialog,
  isManual,
  mark,
  remove,
  select,
  children,
  ...selecting
}: ContainerCardProps) {
  const { _id, name, favourite, updatedAt, cover } = item;
  const mayUpload = useMay()("edit");
  return (
    <ItemCard
      item={item}
      dataAttributes={mayUpload ? cardTargetProps(kind) : {}}
      to={isPending(_id) ? null : to}
      name={name}
      cover={<Mosaic cover={cover} />}
      summary={
        <>
          {mark}
          {favourite ? <FavouriteIcon /> : null}
          {item.isUnread ? <UnreadMark hasText /> : null}
          {counts.map((text) => (
            <span key={text}>{text}</span>
          ))}
          <span>
            changed <RelativeTime at={updatedAt} />
          </span>
          {people === "" ? null : <MemberAvatars names={people.split(SEPARATOR)} />}
        </>
      }
      actions={
        <>
          {isManual ? <DragHandle item={item} /> : null}
          <ItemMenu
            item={item}
            to={isPending(_id) ? null : to}
            openDialog={openDialog}
            remove={remove}
            archive={archive}
            {...(select && { select })}
          >
            {children}
          </ItemMenu>
        </>
      }
      {...selecting}
    />
  );
}
