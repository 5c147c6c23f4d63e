import { data, Form, href, redirect } from "react-router";
import { getVisitor, redirectToSignIn, type Visitor } from "~/features/accounts/session/session.server";
import { uploadErrorResponse } from "~/features/uploads/server/handle-multipart-upload.server";
import { addShared, addSharedToNewProject, discardShared, sharedFiles } from "~/features/uploads/server/shared-files.server";
import { UploadResults } from "~/features/uploads/client/tray/upload-results";
import type { AppConfig } from "~/config";
import { convexFor } from "~/lib/data/convex.server";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { ProjectPicker } from "~/lib/forms/fields/project-picker";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { bytesText } from "~/lib/ui/bytes-text";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { Link } from "~/lib/ui/navigation/link";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/share.images";

export const meta: Route.MetaFunction = () => [{ title: "Shared images · Atelier" }];

const PROJECT = "project";
const DESIGN = "design";
const CHOICE = "choice";

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const convex = convexFor(context);
  const files = await sharedFiles(visitor.userId, context.get(configContext));
  const projects = (await convex.preload(api.projects.getProjects, {})).value;
  const requested = projects.find(({ _id }) => _id === url.searchParams.get(PROJECT)) ?? projects[0];
  const designs = requested ? (await convex.preload(api.designs.getDesignsByProjectId, { projectId: requested._id })).value : [];
  return {
    files: files.map(({ id, name, length }) => ({ id, name, length })),
    projects: projects.map(({ _id, name }) => ({ _id, name })),
    projectId: requested?._id ?? "",
    designs: designs.map(({ _id, name, imageCount }) => ({ _id, name, imageCount })),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: [CHOICE, DESIGN] });
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const choice = sent.get(CHOICE);
  if (choice === "discard") {
    await discardShared(visitor.userId, config);
    setFlash(context, "Shared images discarded");
    return redirect(href("/projects"), 303);
  }
  try {
    const chosen = sent.get(DESIGN);
    const { answer, designId } =
      choice === "new"
        ? await addSharedToNewProject(request, visitor, context)
        : await addToDesign(visitor, typeof chosen === "string" ? chosen : "", config);
    if (!answer.problem && answer.results.every(({ ok }) => ok))
      return redirect(`${href("/design/:id", { id: designId })}?added=${answer.results.length}`, 303);
    return data(answer, { status: 422, statusText: "Unprocessable Content" });
  } catch (error) {
    throw uploadErrorResponse(error, request);
  }
}

/** Reloads also after a rejected file, because the other files were added. */
export const shouldRevalidate = () => true;

async function addToDesign(visitor: Visitor, designId: string, config: AppConfig) {
  return { answer: await addShared(visitor, designId, config), designId };
}

export default function SharedImages({ loaderData: { files, projects, projectId, designs }, actionData }: Route.ComponentProps) {
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={files.length === 0 ? "Shared images" : `Add ${count(files.length, "shared file")}`}
      />
      {actionData ? <UploadResults answer={actionData} /> : null}
      {files.length === 0 ? (
        <EmptyState
          title="No shared images"
          text="Share images to Atelier from your device. Images are kept for one hour. If you shared them while signed out, share them again."
          action={
            <Link to={href("/projects")} prefetch="intent" className={buttonClass({ variant: "primary" })}>
              Show projects
            </Link>
          }
        />
      ) : (
        <>
          <ul aria-label="Shared files" className="max-h-48 overflow-y-auto rounded-lg border bg-card px-4 py-2 text-sm">
            {files.map(({ id, name, length }) => (
              <li key={id} className="flex gap-3 py-1">
                <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
                <span className="tabular text-faint">{bytesText(length)}</span>
              </li>
            ))}
          </ul>
          {projects.length > 0 ? (
            <Form method="get">
              <ProjectPicker name={PROJECT} projects={projects} chosen={projectId} />
            </Form>
          ) : null}
          <Form method="post" className="grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-4">
            {designs.length > 0 ? (
              <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px overflow-hidden rounded-lg border border-line bg-line">
                <legend className="sr-only">Design</legend>
                {designs.map(({ _id, name, imageCount }, index) => (
                  <label key={_id} className="flex min-h-11 cursor-pointer items-center gap-3 bg-card px-4 py-2 hover:bg-hover">
                    <input type="radio" name={DESIGN} value={_id} required defaultChecked={index === 0} />
                    <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
                    <span className="tabular text-sm text-faint">{count(imageCount, "image")}</span>
                  </label>
                ))}
              </fieldset>
            ) : null}
            <div className="flex flex-wrap gap-2">
              {designs.length > 0 ? (
                <Button type="submit" name={CHOICE} value="add" variant="primary">
                  Add to design
                </Button>
              ) : null}
              <Button type="submit" name={CHOICE} value="new" variant={designs.length > 0 ? "quiet" : "primary"} formNoValidate>
                Add to new project
              </Button>
              <Button type="submit" name={CHOICE} value="discard" variant="ghost" formNoValidate>
                Discard
              </Button>
            </div>
          </Form>
        </>
      )}
    </Page>
  );
}
