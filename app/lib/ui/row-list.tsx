import type { ReactNode } from "react";

type RowListProps = { label?: string; isOrdered?: boolean; children: ReactNode };

export function RowList({ label, isOrdered = false, children }: RowListProps) {
  const List = isOrdered ? "ol" : "ul";
  return (
    <List aria-label={label} className="grid gap-px overflow-hidden rounded-md border bg-line">
      {children}
    </List>
  );
}
