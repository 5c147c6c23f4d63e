import type { ReactNode, Ref } from "react";
import { Link } from "./navigation/link";
import { PendingIndicator } from "./pending-indicator";

type ItemCardProps = {
  item: object;
  to: string | null;
  name: string;
  cover: ReactNode;
  summary: ReactNode;
  actions?: ReactNode;
  pick?: ReactNode;
  picking?: boolean;
  dataAttributes?: Record<`data-${string}`, string>;
};

export function ItemCard({ item, to, name, cover, summary, actions, pick, picking = false, dataAttributes }: ItemCardProps) {
  return (
    <div {...dataAttributes} aria-busy={to === null || undefined} className="item-card">
      <div>{cover}</div>
      <PendingIndicator of={item} className="absolute top-2 start-2" />
      {to !== null && pick ? picking ? <label className="pick pick-card">{pick}</label> : pick : null}
      <div>
        <div>
          <h2 dir="auto" title={name}>
            {to === null || picking ? (
              name
            ) : (
              <Link to={to} prefetch="intent">
                {name}
              </Link>
            )}
          </h2>
          <p>{summary}</p>
        </div>
        {actions && to !== null && !picking ? <div>{actions}</div> : null}
      </div>
    </div>
  );
}

export function CardGrid({ label, children, ref }: { label: string; children: ReactNode; ref?: Ref<HTMLUListElement> }) {
  return (
    <ul ref={ref} aria-label={label} className="cards columns-by-density gap-4 lg:gap-5">
      {children}
    </ul>
  );
}
