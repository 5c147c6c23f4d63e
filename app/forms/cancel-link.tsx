import { Link, useLocation } from "react-router";
import { buttonClass } from "~/ui/button";
import { withoutQuestion } from "./question";

/** 'Cancel' in a dialog that the server can render open: without scripts, a link to the page without its question. */
export function CancelLink({ onCancel }: { onCancel: () => void }) {
  const { pathname, search } = useLocation();
  return (
    <Link
      to={pathname + withoutQuestion(search)}
      prefetch="none"
      className={buttonClass()}
      onClick={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      Cancel
    </Link>
  );
}
