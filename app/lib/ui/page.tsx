import { ChevronRight } from "lucide";
import type { ReactNode } from "react";
import { clsx } from "clsx";
import { Icon } from "./icons/icon";

export function Page({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={clsx("page", className)}>{children}</div>;
}

type PageHeaderProps = {
  title: ReactNode;
  summary?: ReactNode;
  trail?: ReactNode;
  tools?: ReactNode;
  about?: ReactNode;
  compact?: boolean;
  children?: ReactNode;
};

export function PageHeader({ title, summary, trail, tools, about, compact = false, children }: PageHeaderProps) {
  return (
    <header className={clsx("grid grid-cols-[minmax(0,1fr)]", compact ? "gap-1 sm:gap-2" : "gap-2")}>
      {tools ? (
        <div className="flex min-h-8 items-center justify-between gap-3">
          <div className="min-w-0 flex-1">{trail}</div>
          <div className="page-tools -me-1.5 flex">{tools}</div>
        </div>
      ) : (
        trail
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-3 sm:gap-x-6">
        <div
          className={clsx(
            "flex flex-1 flex-wrap items-baseline gap-x-3 sm:has-[form]:basis-64",
            typeof title === "string" ? "max-w-full" : "min-w-0",
            compact ? "max-sm:focus-within:basis-full max-sm:noscript:basis-full" : "has-[form]:basis-full",
          )}
        >
          {typeof title === "string" ? (
            <h1 dir="auto" className="min-w-0 text-2xl wrap-break-word max-sm:text-xl">
              {title}
            </h1>
          ) : (
            title
          )}
          {summary ? <p className={clsx("tabular text-faint", compact ? "max-sm:hidden" : "max-sm:w-full")}>{summary}</p> : null}
        </div>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      {about ? <div className="grid grid-cols-[minmax(0,1fr)] gap-1">{about}</div> : null}
    </header>
  );
}

type PageAboutProps = { summary: string; beside?: ReactNode; children: ReactNode };

export function PageAbout({ summary, beside, children }: PageAboutProps) {
  return (
    <div className="flex items-start gap-3">
      <details className="page-about">
        <summary aria-label={`Description and tags: ${summary}`}>
          <Icon of={ChevronRight} />
          <span className="tabular truncate">{summary}</span>
        </summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">{children}</div>
      </details>
      {beside}
    </div>
  );
}
