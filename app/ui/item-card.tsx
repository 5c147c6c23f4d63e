import type { ReactNode, Ref } from "react";
import { Link } from "react-router";
import { Card } from "./card";
import { WaitingMark } from "./waiting-mark";

type ItemCardProps = {
  /** The row that is shown, which may be ahead of the deployment's answer. */
  item: object;
  /** Null while it has no address yet. */
  to: string | null;
  name: string;
  cover: ReactNode;
  /** What is told about it, under its name. */
  facts: ReactNode;
  /** What can be done with it. */
  actions?: ReactNode;
  /** The check box with which it is chosen, or what leads to one. */
  pick?: ReactNode;
  /** Whether it is being chosen from, so that all of it is the check box's, and nothing leads away. */
  picking?: boolean;
  /** What it tells whoever looks at the document, such as what may be dropped on it. */
  marks?: Record<`data-${string}`, string>;
};

/** A project or a design among its like: its cover, its name, what is told about it. All of it leads there, except for its own buttons. */
export function ItemCard({ item, to, name, cover, facts, actions, pick, picking = false, marks }: ItemCardProps) {
  return (
    <Card {...marks} aria-busy={to === null || undefined} className="item-card">
      <div className="item-card-cover">{cover}</div>
      <WaitingMark of={item} className="absolute top-2 left-2" />
      {to !== null && pick ? picking ? <label className="pick pick-card">{pick}</label> : pick : null}
      <div className="item-card-foot">
        <div className="item-card-told">
          <h2 title={name}>
            {to === null || picking ? (
              name
            ) : (
              <Link to={to} prefetch="intent">
                {name}
              </Link>
            )}
          </h2>
          <p className="tabular">{facts}</p>
        </div>
        {actions && to !== null && !picking ? <div className="item-card-actions">{actions}</div> : null}
      </div>
    </Card>
  );
}

/** The cards of a list, as many beside each other as fit. */
export function CardGrid({ label, children, ref }: { label: string; children: ReactNode; ref?: Ref<HTMLUListElement> }) {
  return (
    <ul
      ref={ref}
      aria-label={label}
      className="cards grid grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))] gap-4 lg:grid-cols-[repeat(auto-fill,minmax(17rem,1fr))] lg:gap-5"
    >
      {children}
    </ul>
  );
}
