import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button } from "~/lib/ui/inputs/button";

export function MuteForm({ projectId, isMuted, project }: { projectId: string; isMuted: boolean; project?: string }) {
  const state = useIntentForm({ id: `mute-${projectId}`, intent: "setMuted" });
  return (
    <IntentForm state={state} hidden={{ projectId, isMuted: String(!isMuted) }}>
      <Button type="submit">
        {isMuted ? "Unmute" : "Mute"}
        {project === undefined ? " project" : <span className="sr-only"> {project}</span>}
      </Button>
    </IntentForm>
  );
}
