import { Link, useLoaderData } from "react-router";

export const loader = () =>
  Array.from({ length: 50 }, (_, n) => ({
    id: `project${n}`,
    name: `Project ${n}`,
    designs: 0,
    images: 0,
    editedAt: 1_700_000_000_000 + n,
  }));

export default function Projects() {
  const projects = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>Projects</h1>
      <ul>
        {projects.map(({ id, name, designs, images, editedAt }) => (
          <li key={id}>
            <article>
              <h2>
                <Link to={`/projects/${id}`}>{name}</Link>
              </h2>
              <p>
                {designs} designs · {images} images · <time dateTime={new Date(editedAt).toISOString()}>{editedAt}</time>
              </p>
            </article>
          </li>
        ))}
      </ul>
    </main>
  );
}
