import { Link, useLocation } from "react-router";
import { buttonClass } from "~/ui/button";

/** 'Cancel' in a dialog that the server can render open: without scripts, a link to the page without its question. */
export function CancelLink({ onCancel }: { onCancel: () => void }) {
  const { pathname } = useLocation();
  return (
    <Link
      to={pathname}
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
