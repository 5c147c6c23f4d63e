import { useLocation } from "react-router";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import { withoutOpenDialog } from "./dialogs/open-dialog-param";

export function CancelLink({ onCancel }: { onCancel: () => void }) {
  const { pathname, search } = useLocation();
  return (
    <Link
      to={pathname + withoutOpenDialog(search)}
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
