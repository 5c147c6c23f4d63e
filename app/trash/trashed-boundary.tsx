import { RotateCcw } from "lucide-react";
import { isRouteErrorResponse } from "react-router";
import { FORM_FIELD, INTENT_FIELD } from "~/forms/intents";
import { Button, ButtonLink } from "~/ui/button";
import { FaultScreen } from "~/ui/error-screen";
import { Icon } from "~/ui/icon";
import { Screen } from "~/ui/screen";

type Trashed = { _id: string; kind: string; name: string };

/**
 * For pages whose subject can be in the trash: says so and offers it back, whoever put it there meanwhile. The form is the document's own, so that
 * what follows is loaded anew.
 */
export function TrashedBoundary({ error }: { error: unknown }) {
  const trashed = trashedIn(error);
  if (!trashed) return <FaultScreen error={error} />;
  const { _id, kind, name } = trashed;
  return (
    <Screen
      title={`“${name}” is in the trash`}
      text={`This ${kind} was moved to the trash. Restored, it is back where it was, with all that was in it.`}
    >
      <form method="post" action="/trash">
        <input type="hidden" name={INTENT_FIELD} value="restoreHere" />
        <input type="hidden" name={FORM_FIELD} value="restore-here" />
        <input type="hidden" name="id" value={_id} />
        <Button type="submit" look="primary">
          <Icon of={RotateCcw} />
          Restore
        </Button>
      </form>
      <ButtonLink to="/trash">Open the trash</ButtonLink>
      <ButtonLink to="/projects">All projects</ButtonLink>
    </Screen>
  );
}

function trashedIn(error: unknown): Trashed | null {
  if (!isRouteErrorResponse(error)) return null;
  const told: unknown = error.data;
  return typeof told === "object" && told !== null && "trashed" in told && isTrashed(told.trashed) ? told.trashed : null;
}

function isTrashed(value: unknown): value is Trashed {
  return typeof value === "object" && value !== null && "_id" in value && "kind" in value && "name" in value;
}
