import { clsx } from "clsx";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { INTENT_FIELD, intentWith } from "~/lib/forms/intents";
import { useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import type { Comment } from "../optimistic";
import { FormDetails } from "./form-details";

const OFFERED = ["👍", "👎", "❤️", "🎉", "😄", "👀", "✅", "❓"];

export function ReactionForm({ comment: { _id, reactions } }: { comment: Comment }) {
  const state = useIntentForm({ id: `react-${_id}`, intent: "reactToComment" });
  const mayReact = useMayRun()("reactToComment");
  const others = OFFERED.filter((emoji) => !reactions.some((each) => each.emoji === emoji));
  if (!mayReact && reactions.length === 0) return null;
  return (
    <IntentForm state={state} hasButtons className="comment-actions">
      {reactions.map(({ emoji, count, isMine }) => (
        <Button
          key={emoji}
          type="submit"
          size="sm"
          {...reactionButton(_id, emoji, !isMine)}
          disabled={!mayReact}
          aria-pressed={isMine}
          className={clsx("tabular", isMine && "border-accent bg-hover")}
        >
          {emoji} {count}
        </Button>
      ))}
      {mayReact && others.length > 0 ? (
        <FormDetails summary="React">
          <OfferedReactions commentId={_id} emoji={others} />
        </FormDetails>
      ) : null}
    </IntentForm>
  );
}

function OfferedReactions({ commentId, emoji: offered }: { commentId: string; emoji: string[] }) {
  return (
    <div className="flex flex-wrap gap-1">
      {offered.map((emoji) => (
        <Button
          key={emoji}
          type="submit"
          size="icon"
          variant="ghost"
          {...reactionButton(commentId, emoji, true)}
          aria-label={`React with ${emoji}`}
        >
          {emoji}
        </Button>
      ))}
    </div>
  );
}

const reactionButton = (commentId: string, emoji: string, isOn: boolean) => ({
  name: INTENT_FIELD,
  value: intentWith("reactToComment", { commentId, emoji, isOn: String(isOn) }),
});
