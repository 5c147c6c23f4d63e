import type { ReactNode } from "react";
import { href, Link } from "react-router";
import { Mosaic } from "~/images/mosaic";
import type { PictureSource } from "~/images/picture";
import type { Found } from "#convex/search";

/** What was found, by kind: each with its picture, its name, and where it is. */
export function FoundList({ projects, designs, images }: Found) {
  return (
    <>
      <Kind name="Projects">
        {projects.map(({ _id, name, cover }) => (
          <Row key={_id} to={href("/projects/:id", { id: _id })} name={name} cover={cover} />
        ))}
      </Kind>
      <Kind name="Designs">
        {designs.map(({ _id, name, cover, projectName }) => (
          <Row key={_id} to={href("/design/:id", { id: _id })} name={name} cover={cover} place={projectName} />
        ))}
      </Kind>
      <Kind name="Images">
        {images.map(({ _id, name, designId, designName, projectName, placeholder, width, height }) => (
          <Row
            key={_id}
            to={href("/design/:id/images/:imageId", { id: designId, imageId: _id })}
            name={name}
            cover={[{ imageId: _id, placeholder, width, height }]}
            place={`${projectName} / ${designName}`}
          />
        ))}
      </Kind>
    </>
  );
}

function Kind({ name, children }: { name: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={name} className="grid gap-2">
      <h2 className="text-lg">{name}</h2>
      <ul className="grid gap-px">{children}</ul>
    </section>
  );
}

type RowProps = { to: string; name: string; cover: PictureSource[]; place?: string };

function Row({ to, name, cover, place }: RowProps) {
  return (
    <li>
      <Link to={to} prefetch="intent" className="-mx-2 flex min-h-14 items-center gap-3 rounded-md p-2 hover:bg-hover">
        {/* One picture is enough in so small a place. */}
        <Mosaic cover={cover.slice(0, 1)} className="w-14 shrink-0 rounded-sm" />
        <span className="grid min-w-0">
          <span className="truncate font-medium">{name}</span>
          {place === undefined ? null : <span className="truncate text-sm text-faint">{place}</span>}
        </span>
      </Link>
    </li>
  );
}
