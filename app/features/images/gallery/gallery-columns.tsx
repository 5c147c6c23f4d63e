import { ArrowDown, ArrowUp } from "lucide";
import { clsx } from "clsx";
import { useLocation } from "react-router";
import { SORT } from "~/lib/data/pagination/sorting";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { sortedSearch } from "~/lib/ui/navigation/sort-menu";

type Column = { label: string; first: string; second: string; ascending: string; className: string };

const NAME: Column = { label: "Name", first: "name", second: "name-desc", ascending: "name", className: "me-auto" };
const OTHERS: Column[] = [
  { label: "Type", first: "type", second: "type-desc", ascending: "type", className: "md:w-12" },
  { label: "Size", first: "size", second: "size-asc", ascending: "size-asc", className: "md:w-18 md:justify-end" },
  { label: "Added", first: "created", second: "created-asc", ascending: "created-asc", className: "md:w-28 md:justify-end" },
];

export function GalleryColumns({ isManual, isSelecting }: { isManual: boolean; isSelecting: boolean }) {
  const space = isSelecting ? "" : isManual ? "md:pe-20" : "md:pe-11";
  return (
    <nav
      aria-label="Sort by column"
      className={clsx("flex flex-wrap items-center gap-x-4 border-b border-line pb-1 text-sm text-faint md:ps-18", space)}
    >
      <SortColumn column={NAME} />
      <span className="w-28 text-end max-md:hidden">Dimensions</span>
      {OTHERS.map((column) => (
        <SortColumn key={column.label} column={column} />
      ))}
    </nav>
  );
}

function SortColumn({ column: { label, first, second, ascending, className } }: { column: Column }) {
  const { pathname, search } = useLocation();
  const current = new URLSearchParams(search).get(SORT);
  const isSorted = current === first || current === second;
  const next = current === first ? second : first;
  return (
    <Link
      to={{ pathname, search: sortedSearch(search, next) }}
      replace
      preventScrollReset
      prefetch="intent"
      aria-current={isSorted ? "true" : undefined}
      className={clsx(
        "flex min-h-6 items-center gap-1 whitespace-nowrap hover:text-ink aria-current:text-ink pointer-coarse:min-h-11",
        className,
      )}
    >
      {label}
      {isSorted ? (
        <>
          <Icon of={current === ascending ? ArrowUp : ArrowDown} className="size-3.5" />
          <span className="sr-only">({current === ascending ? "ascending" : "descending"})</span>
        </>
      ) : null}
    </Link>
  );
}
