import { isolate } from "~/lib/ui/isolate";
import { type SubmitEvent, useEffect, useId, useState } from "react";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import { connectedConvex, connection } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { Button } from "~/lib/ui/inputs/button";
import { count } from "~/lib/ui/count";
import { Dialog, DialogActions, DialogCancel } from "~/lib/ui/overlays/dialog";
import { Field } from "~/lib/ui/inputs/field";
import { TextInput } from "~/lib/ui/inputs/text-input";
import type { Batch } from "./dropped-files";
import { addFiles } from "../lazy-uploader";
import type { Target } from "./drop-target";

const DIALOG = "add-to-project";
const NEW = "";

type Design = { _id: string; name: string };

export function DesignPicker({ project, batch, onDone }: { project: Target; batch: Batch; onDone: () => void }) {
  const [shown] = useState({});
  const [designs, setDesigns] = useState<Design[]>([]);
  const [selectedId, setSelectedId] = useState(NEW);
  const [name, setName] = useState(batch.folder ?? batch.files[0]?.name.replace(/\.[^.]+$/, "") ?? "");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();

  useEffect(() => {
    let isUnmounted = false;
    connection()
      .then((convex) => convex.query(api.designs.getDesignsByProjectId, { projectId: project.id }))
      .then(
        (found) => isUnmounted || setDesigns(found),
        () => {},
      );
    return () => void (isUnmounted = true);
  }, [project.id]);

  async function add(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setBusy(true);
    try {
      const design = selectedId === NEW ? await makeDesign(project.id, name) : designs.find(({ _id }) => _id === selectedId);
      if (!design) throw new Error("This design no longer exists");
      onDone();
      await addFiles({ designId: design._id, designName: design.name }, batch.files);
    } catch (error) {
      setBusy(false);
      setProblem(problemOf(error));
    }
  }

  return (
    <Dialog id={DIALOG} title={`Add ${count(batch.files.length, "file")} to ${isolate(project.name)}`} open={shown} onClose={onDone}>
      <form onSubmit={(event) => void add(event)} className="grid gap-4">
        {designs.length > 0 ? (
          <Field htmlFor={`${id}-design`} label="Design" errorId={`${id}-design-error`}>
            <select
              id={`${id}-design`}
              value={selectedId}
              onChange={({ target }) => setSelectedId(target.value)}
              className="h-9 w-full rounded-md border border-edge bg-background px-2 text-base text-ink pointer-coarse:h-11 pointer-coarse:text-lg"
            >
              <option value={NEW}>A new design</option>
              {designs.map((design) => (
                <option key={design._id} value={design._id} dir="auto">
                  {design.name}
                </option>
              ))}
            </select>
          </Field>
        ) : null}
        {selectedId === NEW ? (
          <Field htmlFor={`${id}-name`} label="Name of the new design" errorId={`${id}-error`} errors={problem === null ? [] : [problem]}>
            <TextInput
              id={`${id}-name`}
              required
              autoFocus
              autoComplete="off"
              maxLength={200}
              value={name}
              aria-invalid={problem !== null || undefined}
              aria-describedby={`${id}-error`}
              onChange={({ target }) => setName(target.value)}
              onFocus={({ target }) => target.select()}
            />
          </Field>
        ) : null}
        <DialogActions>
          <DialogCancel dialog={DIALOG} />
          <Button type="submit" variant="primary" disabled={busy}>
            Add {count(batch.files.length, "file")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

async function makeDesign(projectId: string, name: string): Promise<{ _id: Id<"designs">; name: string }> {
  const convex = connectedConvex();
  if (!convex) throw new NotConnected();
  return { _id: await convex.mutation(api.designs.create, { projectId, name }), name: name.trim() };
}

class NotConnected extends Error {}

function problemOf(error: unknown): string {
  if (error instanceof NotConnected) return "The connection was lost. Your files are kept. Try again when it is back.";
  const refusal = refusalOf(error);
  if (refusal?.code === "not_found") return "The project no longer exists.";
  return Object.values(refusal?.fieldErrors ?? {}).flat()[0] ?? refusal?.message ?? "Something went wrong on our side. Try again.";
}
