import { Button } from "~/ui/button";

type ProjectChoiceProps = { name: string; projects: { _id: string; name: string }[]; chosen: string };

/** Which project's designs are offered: a field of a form, and the button that sends it. */
export function ProjectChoice({ name, projects, chosen }: ProjectChoiceProps) {
  return (
    <>
      <label className="grid max-w-full grid-cols-[minmax(0,1fr)] gap-1 text-sm text-soft">
        Project
        <select
          key={chosen}
          name={name}
          defaultValue={chosen}
          className="h-9 max-w-full rounded-md border border-edge bg-ground px-2 text-base text-ink pointer-coarse:h-11"
        >
          {projects.map((project) => (
            <option key={project._id} value={project._id}>
              {project.name}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit">Show its designs</Button>
    </>
  );
}
