import type { ReactNode } from "react";
import { clsx } from "clsx";

/** The frame of a page's content. */
export function Page({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={clsx("page", className)}>{children}</div>;
}

type PageHeaderProps = {
  title: ReactNode;
  /** Counts and the like, beside the title. */
  facts?: ReactNode;
  /** Where the page is, above its title. */
  trail?: ReactNode;
  /** What is done with the whole of it now and then: icons beside the trail, so that what the page is for has its row to itself. */
  tools?: ReactNode;
  /** What is told about it, below its title. */
  about?: ReactNode;
  children?: ReactNode;
};

/** What a page is about, and what can be done on it. */
export function PageHeader({ title, facts, trail, tools, about, children }: PageHeaderProps) {
  return (
    <header className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {tools ? (
        <div className="flex min-h-8 items-center justify-between gap-3">
          <div className="min-w-0 flex-1">{trail}</div>
          <div className="page-tools -mr-1.5 flex">{tools}</div>
        </div>
      ) : (
        trail
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 has-[form]:basis-full sm:has-[form]:basis-64">
          {typeof title === "string" ? <h1 className="text-2xl wrap-anywhere">{title}</h1> : title}
          {facts ? <p className="tabular text-faint max-sm:w-full">{facts}</p> : null}
        </div>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      {about ? <div className="grid gap-1">{about}</div> : null}
    </header>
  );
}
