import { Button } from "~/lib/ui/inputs/button";

type ProjectPickerProps = { name: string; projects: { _id: string; name: string }[]; chosen: string };

export function ProjectPicker({ name, projects, chosen }: ProjectPickerProps) {
  return (
    <fieldset className="flex max-h-48 w-full min-w-0 flex-wrap gap-2 overflow-y-auto p-1">
      <legend className="mb-1 text-sm text-soft">Project</legend>
      {projects.map((project) => (
        <Button
          key={project._id}
          type="submit"
          size="sm"
          name={name}
          value={project._id}
          aria-current={project._id === chosen ? "true" : undefined}
          className={project._id === chosen ? "max-w-full bg-hover text-accent-text" : "max-w-full"}
        >
          <bdi className="truncate">{project.name}</bdi>
        </Button>
      ))}
    </fieldset>
  );
}
