import { useQueries } from "~/lib/data/use-queries";
import type { FunctionReference, FunctionReturnType } from "convex/server";
import { ChevronRight, Plus } from "lucide";
import { type KeyboardEvent, type SubmitEvent, useState } from "react";
import { useSubmit } from "react-router";
import { connectedConvex } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { useMe } from "~/lib/data/use-me";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { Button } from "~/lib/ui/inputs/button";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { count } from "~/lib/ui/count";
import { isolate } from "~/lib/ui/isolate";
import { Icon } from "~/lib/ui/icons/icon";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { Dialog, DialogActions, DialogCancel } from "~/lib/ui/overlays/dialog";
import { toast } from "~/lib/ui/overlays/toasts";
import { useLastDefined } from "~/lib/ui/use-last-defined";
import { autofocusRef } from "~/lib/ui/inputs/autofocus-ref";
import { api } from "#convex/_generated/api";
import { fold } from "#convex/model/search/fold";
import type { DestinationRequest } from "./request-destination";

const DIALOG = "destination-dialog";
const FIELD = "destination";

const INTENTS = {
  image: { move: "moveImages", copy: "copyImages" },
  design: { move: "moveDesigns", copy: "copyDesigns" },
} satisfies Record<string, Record<string, IntentName>>;

type Chosen = { at: string; id: string };
type Choice = { chosen: Chosen; choose: (chosen: Chosen) => void; from: string | undefined };

export function DestinationDialog({ request, onClose }: { request: DestinationRequest; onClose: () => void }) {
  const { kind, ids, from, staysOnPage: stays, fields } = request;
  const intents = INTENTS[kind];
  const submit = useSubmit();
  const [chosen, choose] = useState<Chosen>({ at: "", id: "" });
  const [text, setText] = useState("");
  const choice = { chosen, choose, from };

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent;
    const intent = submitter instanceof HTMLButtonElement && submitter.value === "copy" ? intents.copy : intents.move;
    if (chosen.id === "") return void toast(`Select a ${kind === "image" ? "design" : "project"} first.`);
    const form = `${MENU_FORM}${intent}`;
    const sent = new FormData();
    sent.append(INTENT_FIELD, intent);
    sent.append(FORM_FIELD, form);
    sent.append(kind === "image" ? "designId" : "projectId", chosen.id);
    if (stays) sent.append("stay", "yes");
    for (const [name, value] of fields ?? ids.map((id): [string, string] => ["ids", id])) sent.append(name, value);
    void submit(sent, { method: "post", navigate: false, fetcherKey: form });
    onClose();
  }

  return (
    <Dialog id={DIALOG} title={`Move or copy ${count(request.count ?? ids.length, kind)}`} open={request} onClose={onClose}>
      <form onSubmit={send} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <TextInput
          type="search"
          aria-label={kind === "image" ? "Search designs" : "Search projects"}
          placeholder="Search…"
          autoComplete="off"
          ref={autofocusRef}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={toFirstChoice}
        />
        <fieldset className="grid max-h-[min(24rem,45dvh)] grid-cols-[minmax(0,1fr)] content-start gap-3 overflow-y-auto">
          <legend className="sr-only">Destination</legend>
          {kind === "design" ? <Projects text={text} {...choice} /> : <Designs text={text.trim()} {...choice} />}
        </fieldset>
        <DialogActions>
          <DialogCancel dialog={DIALOG} />
          <Button type="submit" name="act" value="copy">
            Copy here
          </Button>
          <Button type="submit" name="act" value="move" variant="primary" disabled={chosen.id === from}>
            Move here
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function toFirstChoice(event: KeyboardEvent<HTMLInputElement>): void {
  const key = pressedKey(event.nativeEvent);
  if (key !== "ArrowDown" && key !== "Enter") return;
  event.preventDefault();
  const first = event.currentTarget.form?.querySelector<HTMLInputElement>(`input[name="${FIELD}"]`);
  first?.focus();
  first?.click();
}

function pressMove(event: KeyboardEvent<HTMLInputElement>): void {
  if (pressedKey(event.nativeEvent) !== "Enter") return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLButtonElement>('button[value="move"]')?.click();
}

function Projects({ text, ...choice }: Choice & { text: string }) {
  const projects = useAnswer(api.projects.getProjects, { sort: "name" }) ?? [];
  const shared = useEditable();
  const searchText = fold(text.trim());
  const isShown = ({ name }: { name: string }) => fold(name).includes(searchText);
  const [shown, others] = [projects.filter(isShown), shared.filter(isShown)];
  return (
    <>
      <Options
        at="projects"
        options={shown.map(({ _id, name, designCount }) => ({ _id, name, summary: count(designCount, "design") }))}
        {...(others.length === 0 && { nowhere: `No results for “${text}”.` })}
        {...choice}
      />
      {others.length > 0 ? (
        <section className="grid gap-1">
          <h3 className="text-sm font-medium text-soft">Shared with me</h3>
          <Options
            at="shared"
            options={others.map(({ _id, name, designCount, owner }) => ({
              _id,
              name,
              summary: `by ${isolate(owner)}, ${count(designCount, "design")}`,
            }))}
            {...choice}
          />
        </section>
      ) : null}
      <NewItem
        at="projects"
        thing="project"
        create={async (name) => (await connectedConvex()?.mutation(api.projects.create, { name })) ?? ""}
        {...choice}
      />
    </>
  );
}

function Designs({ text, ...choice }: Choice & { text: string }) {
  const recent = useAnswer(api.designs.getRecent, { shared: "edit" }) ?? [];
  const projects = useAnswer(api.projects.getProjects, { sort: "name" }) ?? [];
  const shared = useEditable();
  const { from } = choice;
  const current = useAnswer(api.designs.getDesignById, from === undefined ? "skip" : { id: from });
  if (text !== "") return <FoundDesigns text={text} {...choice} />;
  return (
    <>
      {recent.length > 0 ? (
        <section className="grid gap-1">
          <h3 className="text-sm font-medium text-soft">Recent designs</h3>
          <Options at="recent" options={recent.map(({ _id, name, projectName }) => ({ _id, name, summary: projectName }))} {...choice} />
        </section>
      ) : null}
      <section className="grid gap-1">
        <h3 className="text-sm font-medium text-soft">Projects</h3>
        {projects.map((project) => {
          const isCurrent = project._id === current?.projectId;
          return <ProjectDesigns key={`${project._id} ${isCurrent}`} project={project} isOpenAtFirst={isCurrent} {...choice} />;
        })}
      </section>
      {shared.length > 0 ? (
        <section className="grid gap-1">
          <h3 className="text-sm font-medium text-soft">Shared with me</h3>
          {shared.map((project) => {
            const isCurrent = project._id === current?.projectId;
            return <ProjectDesigns key={`${project._id} ${isCurrent}`} project={project} isOpenAtFirst={isCurrent} {...choice} />;
          })}
        </section>
      ) : null}
    </>
  );
}

function FoundDesigns({ text, ...choice }: Choice & { text: string }) {
  const found = useLastDefined(useAnswer(api.search.find, { text: text.slice(0, 100), kind: "design", editable: true }));
  if (!found) return <p className="text-soft">Searching…</p>;
  const options = found.designs.map(({ _id, name, projectName }) => ({ _id, name, summary: projectName }));
  return <Options at="found" options={options} nowhere={`No results for “${text}”.`} {...choice} />;
}

type ProjectDesignsProps = Choice & { project: { _id: string; name: string; designCount: number }; isOpenAtFirst: boolean };

function ProjectDesigns({ project, isOpenAtFirst, ...choice }: ProjectDesignsProps) {
  const [open, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpenAtFirst} className="rounded-md" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 rounded-md px-2 hover:bg-hover pointer-coarse:min-h-11">
        <Icon of={ChevronRight} className={open ? "rotate-90" : undefined} />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {project.name}
        </span>
        <span className="tabular text-sm text-faint">{count(project.designCount, "design")}</span>
      </summary>
      {open ? <DesignsOf projectId={project._id} {...choice} /> : null}
    </details>
  );
}

function DesignsOf({ projectId, ...choice }: Choice & { projectId: string }) {
  const designs = useAnswer(api.designs.getDesignsByProjectId, { projectId, sort: "name" }) ?? [];
  return (
    <div className="grid gap-1 ps-6">
      <Options
        at={projectId}
        options={designs.map(({ _id, name, imageCount }) => ({ _id, name, summary: count(imageCount, "image") }))}
        {...choice}
      />
      <NewItem
        at={projectId}
        thing="design"
        create={async (name) => (await connectedConvex()?.mutation(api.designs.create, { projectId, name })) ?? ""}
        {...choice}
      />
    </div>
  );
}

type OptionsProps = Choice & { at: string; options: { _id: string; name: string; summary: string }[]; nowhere?: string };

function Options({ at, options, nowhere, chosen, choose, from }: OptionsProps) {
  if (options.length === 0) return nowhere === undefined ? null : <p className="text-soft">{nowhere}</p>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-px overflow-hidden rounded-lg border border-line bg-line">
      {options.map(({ _id, name, summary }) => (
        <label
          key={_id}
          className="flex min-h-9 cursor-pointer items-center gap-3 bg-card px-3 py-1.5 hover:bg-hover pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={FIELD}
            value={_id}
            checked={chosen.id === _id && chosen.at === at}
            onChange={() => choose({ at, id: _id })}
            onKeyDown={pressMove}
          />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {name}
          </span>
          <span dir="auto" className="tabular max-w-[50%] truncate text-sm text-faint">
            {_id === from ? "Current" : summary}
          </span>
        </label>
      ))}
    </div>
  );
}

type NewItemProps = Choice & { at: string; thing: "project" | "design"; create: (name: string) => Promise<string> };

function NewItem({ at, thing, create, choose }: NewItemProps) {
  const [name, setName] = useState("");
  async function add() {
    if (name.trim() === "") return;
    try {
      const id = await create(name);
      if (id === "") return void toast("You're offline. Try again when you are connected.");
      choose({ at, id });
      setName("");
    } catch (error) {
      const messages = Object.values(refusalOf(error)?.fieldErrors ?? {}).flat();
      void toast(refusalOf(error)?.message ?? (messages.join(" ") || "Something went wrong."));
    }
  }
  return (
    <div className="flex gap-2 pt-1">
      <TextInput
        aria-label={`New ${thing}`}
        placeholder={`New ${thing}`}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (pressedKey(event.nativeEvent) !== "Enter") return;
          event.preventDefault();
          void add();
        }}
      />
      <Button size="icon" aria-label={`Create ${thing}`} disabled={name.trim() === ""} onClick={() => void add()}>
        <Icon of={Plus} />
      </Button>
    </div>
  );
}

function useEditable() {
  const me = useMe();
  return useAnswer(api.members.listEditable, me?.hasShared ? {} : "skip") ?? NO_PROJECTS;
}

const NO_PROJECTS: FunctionReturnType<typeof api.members.listEditable> = [];

function useAnswer<Query extends FunctionReference<"query">>(
  query: Query,
  args: Query["_args"] | "skip",
): FunctionReturnType<Query> | undefined {
  const answer: FunctionReturnType<Query> | Error | undefined = useQueries(args === "skip" ? {} : { answer: { query, args } })["answer"];
  return answer instanceof Error ? undefined : answer;
}
