import { isolate } from "~/lib/ui/isolate";
import type { ReactNode } from "react";
import { href } from "react-router";
import { Mosaic } from "~/features/images/display/mosaic";
import type { PictureSource } from "~/features/images/display/picture";
import { Link } from "~/lib/ui/navigation/link";
import type { Found } from "#convex/search";
import type { Kind } from "./filters";

type FoundListProps = Pick<Found, "projects" | "designs" | "images" | "more"> & {
  allOf: (kind: Kind) => string | null;
};

export function ResultList({ projects, designs, images, more, allOf }: FoundListProps) {
  const rest = (kind: Kind) => (more.includes(kind) ? allOf(kind) : null);
  return (
    <>
      <Section name="Projects" rest={rest("project")}>
        {projects.map(({ _id, name, cover, description }) => (
          <Row key={_id} to={href("/projects/:id", { id: _id })} name={name} cover={cover} about={description} />
        ))}
      </Section>
      <Section name="Designs" rest={rest("design")}>
        {designs.map(({ _id, name, cover, projectName, description }) => (
          <Row key={_id} to={href("/design/:id", { id: _id })} name={name} cover={cover} place={isolate(projectName)} about={description} />
        ))}
      </Section>
      <Section name="Images" rest={rest("image")}>
        {images.map(({ _id, name, designId, designName, projectName, placeholder, width, height, caption }) => (
          <Row
            key={_id}
            to={href("/design/:id/images/:imageId", { id: designId, imageId: _id })}
            name={name}
            cover={[{ imageId: _id, placeholder, width, height }]}
            place={`${isolate(projectName)} / ${isolate(designName)}`}
            about={caption}
          />
        ))}
      </Section>
    </>
  );
}

function Section({ name, rest, children }: { name: string; rest: string | null; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={name} className="grid gap-2">
      <h2 className="text-lg">{name}</h2>
      <ul className="entries columns-by-density gap-x-6 gap-y-px">{children}</ul>
      {rest === null ? null : (
        <Link to={rest} prefetch="intent" className="w-fit py-1 text-sm text-accent-text hover:underline pointer-coarse:py-3">
          More {name.toLowerCase()}
        </Link>
      )}
    </section>
  );
}

type RowProps = { to: string; name: string; cover: PictureSource[]; place?: string; about: string };

function Row({ to, name, cover, place, about }: RowProps) {
  return (
    <li>
      <Link to={to} prefetch="intent" className="-mx-2 flex min-h-14 items-center gap-3 rounded-md p-2 hover:bg-hover">
        <Mosaic cover={cover.slice(0, 1)} sizes="7rem" className="w-(--cover) shrink-0 rounded-sm" />
        <span className="grid min-w-0">
          <span dir="auto" className="truncate font-medium">
            {name}
          </span>
          {place === undefined ? null : <span className="truncate text-sm text-faint">{place}</span>}
          {about === "" ? null : (
            <span dir="auto" className="truncate text-sm text-soft">
              {about}
            </span>
          )}
        </span>
      </Link>
    </li>
  );
}
