import { isolate } from "~/lib/ui/isolate";
import { RotateCcw } from "lucide";
import { useQueries } from "~/lib/data/use-queries";
import { useEffect } from "react";
import { href, isRouteErrorResponse, useNavigate, useParams, useRevalidator } from "react-router";
import { refusalOf } from "~/lib/data/error-responses";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { Icon } from "~/lib/ui/icons/icon";
import { CenteredScreen } from "~/lib/ui/centered-screen";
import { api } from "#convex/_generated/api";

const RESTORE: IntentName = "restoreHere";

type Trashed = { _id: string; kind: string; name: string };

export function TrashedBoundary({ error }: { error: unknown }) {
  const trashed = trashedIn(error);
  return trashed ? <TrashedScreen trashed={trashed} /> : <ErrorScreen error={error} />;
}

function TrashedScreen({ trashed: { _id, kind, name } }: { trashed: Trashed }) {
  useReturn(_id, kind);
  return (
    <CenteredScreen
      title={`“${isolate(name)}” is in the trash`}
      text={`This ${kind} is in the trash. Restore returns it, with its contents, to its original location.`}
    >
      <form method="post" action="/trash">
        <input type="hidden" name={INTENT_FIELD} value={RESTORE} />
        <input type="hidden" name={FORM_FIELD} value="restore-here" />
        <input type="hidden" name="id" value={_id} />
        <Button type="submit" variant="primary">
          <Icon of={RotateCcw} />
          Restore
        </Button>
      </form>
      <ButtonLink to="/trash">Open the trash</ButtonLink>
      <ButtonLink to="/projects">All projects</ButtonLink>
    </CenteredScreen>
  );
}

function useReturn(id: string, kind: string): void {
  const live: unknown = useQueries({ trashed: { query: api.trash.getTrashed, args: { id } } }).trashed;
  const isOver = live instanceof Error && refusalOf(live)?.code === "not_found";
  const designId = useParams()["id"];
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isOver) return;
    if (kind === "image" && designId !== undefined) void navigate(href("/design/:id", { id: designId }), { replace: true });
    else void revalidate();
  }, [isOver, kind, designId, navigate, revalidate]);
}

function trashedIn(error: unknown): Trashed | null {
  if (!isRouteErrorResponse(error)) return null;
  const body: unknown = error.data;
  return typeof body === "object" && body !== null && "trashed" in body && isTrashed(body.trashed) ? body.trashed : null;
}

function isTrashed(value: unknown): value is Trashed {
  return typeof value === "object" && value !== null && "_id" in value && "kind" in value && "name" in value;
}
