import { FaceSlightlySmilingPlus } from "lucide";
import { type KeyboardEvent, useId } from "react";
import { useMay } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { buttonClass } from "~/lib/ui/inputs/button";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { count } from "~/lib/ui/count";
import { hideMenu } from "~/lib/ui/overlays/menu";
import type { Comment } from "../optimistic";
import { commentActions } from "./use-comment-actions";

const CHOICES = [
  ["👍", "Thumbs up"],
  ["👎", "Thumbs down"],
  ["❤️", "Heart"],
  ["🎉", "Celebration"],
  ["😄", "Smile"],
  ["👀", "Eyes"],
  ["✅", "Done"],
  ["❓", "Question"],
] as const;

const nameOf = (emoji: string) => CHOICES.find(([each]) => each === emoji)?.[1] ?? emoji;

export function Reactions({ comment: { _id, reactions } }: { comment: Comment }) {
  const id = useId();
  const mayReact = useMay()("react");
  if (!mayReact && reactions.length === 0) return null;
  const isMine = (emoji: string) => reactions.some((each) => each.emoji === emoji && each.isMine);
  return (
    <div role="group" aria-label="Reactions" className="flex flex-wrap items-center gap-1">
      {reactions.map((each) => (
        <button
          key={each.emoji}
          type="button"
          disabled={!mayReact}
          aria-pressed={each.isMine}
          aria-label={`${nameOf(each.emoji)}, ${count(each.count, "person", "people")}`}
          className="comment-reaction"
          onClick={() => commentActions.react(_id, each.emoji, !each.isMine)}
        >
          <span aria-hidden="true">{each.emoji}</span>
          <span className="tabular">{each.count}</span>
        </button>
      ))}
      {mayReact ? (
        <>
          <button
            type="button"
            popoverTarget={id}
            aria-label="Add reaction"
            data-tooltip="Add reaction"
            className={buttonClass({ variant: "ghost", size: "icon-sm" })}
          >
            <Icon of={FaceSlightlySmilingPlus} />
          </button>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the buttons in it */}
          <div id={id} popover="auto" role="group" aria-label="Reaction" className="menu comment-emoji" onKeyDown={moveAlong}>
            {CHOICES.map(([emoji, name]) => (
              <button
                key={emoji}
                type="button"
                aria-label={name}
                aria-pressed={isMine(emoji)}
                title={name}
                className={buttonClass({ variant: "ghost", size: "icon" })}
                onClick={(event) => {
                  hideMenu(event.currentTarget.closest<HTMLElement>("[popover]"));
                  commentActions.react(_id, emoji, !isMine(emoji));
                }}
              >
                {emoji}
              </button>
            ))}
          </div>
        </>
      ) : null}
    </div>
  );
}

function moveAlong(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const to = steps[pressedKey(event.nativeEvent)];
  if (to === undefined) return;
  event.preventDefault();
  buttons.at(to % buttons.length)?.focus();
}
