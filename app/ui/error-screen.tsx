import { isRouteErrorResponse, useLocation, useRevalidator } from "react-router";
import { isUnsent } from "~/forms/answer";
import { Button, ButtonLink } from "./button";
import { ErrorDetails } from "./default-view";
import { isNotFound, isUnreachable, passingText, refusedFormText } from "./faults";
import { GoBack } from "./go-back";
import { NotFoundScreen } from "./not-found-screen";
import { Recovery } from "./recovery";
import { Screen } from "./screen";

type FaultProps = {
  error: unknown;
  /** Whether the whole page failed, so that there is nothing around it to go back in. */
  atRoot?: boolean;
};

/** What a boundary shows: the not-found screen, or the error screen. */
export function FaultScreen({ error, atRoot }: FaultProps) {
  return isNotFound(error) ? <NotFoundScreen /> : <ErrorScreen error={error} atRoot={atRoot} />;
}

/** The error screen (specification 2): 'Try Again' runs the loading again; 'Home', or 'Go Back' when not at the root. */
function ErrorScreen({ error, atRoot = false }: FaultProps) {
  const unsent = isRouteErrorResponse(error) && isUnsent(error.data) ? error.data.unsent : null;
  return (
    <Screen
      frame="askew"
      title={isUnreachable(error) ? "The server does not answer" : "This did not work"}
      text={textFor(error, unsent !== null)}
    >
      {unsent ? null : <Recovery error={error} />}
      {unsent ? <SendAgain {...unsent} /> : <TryAgain />}
      {atRoot ? <ButtonLink to="/">Home</ButtonLink> : <GoBack>Go Back</GoBack>}
      <ErrorDetails error={error} />
    </Screen>
  );
}

function textFor(error: unknown, unsent: boolean): string {
  if (unsent) return "Your form could not be taken. It is still here: try again in a moment and it is sent once more.";
  return passingText(error) ?? refusedFormText(error) ?? "Something failed on our side. What was saved before is safe.";
}

/** A form without fields: without scripts it asks for the page again. */
function TryAgain() {
  const { pathname, search } = useLocation();
  const { revalidate, state } = useRevalidator();
  return (
    <form
      method="get"
      action={pathname}
      onSubmit={(event) => {
        event.preventDefault();
        void revalidate();
      }}
    >
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" look="primary" disabled={state !== "idle"}>
        Try Again
      </Button>
    </form>
  );
}

/** Sends a form that could not be taken once more, with all that was typed. */
function SendAgain({ action, fields }: { action: string; fields: [string, string][] }) {
  return (
    <form method="post" action={action}>
      {fields.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" look="primary">
        Try Again
      </Button>
    </form>
  );
}
