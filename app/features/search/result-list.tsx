import { isolate } from "~/lib/ui/isolate";
import type { ReactNode } from "react";
import { href } from "react-router";
import { Mosaic } from "~/features/images/display/mosaic";
import type { PictureSource } from "~/features/images/display/picture";
import { Link } from "~/lib/ui/navigation/link";
import type { Found } from "#convex/search";
import { highlightParts } from "./highlight";
import type { Kind } from "./filters";

type ResultListProps = Pick<Found, "projects" | "designs" | "images" | "more"> & {
  query: string;
  addressOf: (kind: Kind) => string | null;
};

export function ResultList({ projects, designs, images, more, query, addressOf }: ResultListProps) {
  const moreAddress = (kind: Kind) => (more.includes(kind) ? addressOf(kind) : null);
  return (
    <>
      <Section name="Projects" moreAddress={moreAddress("project")}>
        {projects.map(({ _id, name, cover, description }) => (
          <Result key={_id} to={href("/projects/:id", { id: _id })} name={name} cover={cover} description={description} query={query} />
        ))}
      </Section>
      <Section name="Designs" moreAddress={moreAddress("design")}>
        {designs.map(({ _id, name, cover, projectName, description }) => (
          <Result
            key={_id}
            to={href("/design/:id", { id: _id })}
            name={name}
            cover={cover}
            location={isolate(projectName)}
            description={description}
            query={query}
          />
        ))}
      </Section>
      <Section name="Images" moreAddress={moreAddress("image")}>
        {images.map(({ _id, name, designId, designName, projectName, placeholder, width, height, caption }) => (
          <Result
            key={_id}
            to={href("/design/:id/images/:imageId", { id: designId, imageId: _id })}
            name={name}
            cover={[{ imageId: _id, placeholder, width, height }]}
            location={`${isolate(projectName)} / ${isolate(designName)}`}
            description={caption}
            query={query}
          />
        ))}
      </Section>
    </>
  );
}

function Section({ name, moreAddress, children }: { name: string; moreAddress: string | null; children: ReactNode[] }) {
  if (children.length === 0 && moreAddress === null) return null;
  return (
    <section aria-label={name} className="grid gap-2">
      <h2 className="text-lg">{name}</h2>
      {children.length === 0 ? null : <ul className="cards columns-by-density gap-x-4 gap-y-5">{children}</ul>}
      {moreAddress === null ? null : (
        <Link to={moreAddress} prefetch="intent" className="w-fit py-1 text-sm text-accent-text hover:underline pointer-coarse:py-3">
          More {name.toLowerCase()}
        </Link>
      )}
    </section>
  );
}

type ResultProps = { to: string; name: string; cover: PictureSource[]; location?: string; description: string; query: string };

function Result({ to, name, cover, location, description, query }: ResultProps) {
  return (
    <li className="min-w-0">
      <Link to={to} prefetch="intent" className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start rounded-md hover:bg-hover">
        <Mosaic cover={cover.slice(0, 1)} className="mb-1.5 rounded-md" />
        <span dir="auto" title={name} className="truncate font-medium">
          <Highlighted text={name} query={query} />
        </span>
        {location === undefined ? null : <span className="truncate text-sm text-faint">{location}</span>}
        {description === "" ? null : (
          <span dir="auto" className="truncate text-sm text-soft">
            <Highlighted text={description} query={query} />
          </span>
        )}
      </Link>
    </li>
  );
}

function Highlighted({ text, query }: { text: string; query: string }) {
  return highlightParts(text, query).map(({ text: part, isMatch }, index) =>
    isMatch ? (
      <mark key={index} className="rounded-xs bg-accent-text/25 text-inherit">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
