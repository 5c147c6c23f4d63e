import { useLocation } from "react-router";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import { withoutOpenDialog } from "./dialogs/open-dialog-param";

type EditConflictProps = {
  current: string;
  /** Undefined if the server rendered the conflict. The link then reloads the page. */
  onDiscard: (() => void) | undefined;
};

export function EditConflict({ current, onDiscard }: EditConflictProps) {
  const { pathname, search } = useLocation();
  return (
    <div role="alert" className="mb-4 grid max-w-prose gap-2 rounded-md border border-edge bg-raised p-3 text-base font-normal">
      <p className="text-soft">This text was changed in the meantime. The saved text is:</p>
      <blockquote dir="auto" className="max-h-48 overflow-y-auto border-s-2 border-edge ps-3 whitespace-pre-line wrap-anywhere">
        {current === "" ? <em>(empty)</em> : current}
      </blockquote>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary">
          Overwrite with my text
        </Button>
        <Link
          to={pathname + withoutOpenDialog(search)}
          prefetch="none"
          reloadDocument
          className={buttonClass({ size: "sm" })}
          onClick={(event) => {
            if (!onDiscard) return;
            event.preventDefault();
            onDiscard();
          }}
        >
          Keep the saved text
        </Link>
      </div>
    </div>
  );
}
