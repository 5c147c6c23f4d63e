import { isRouteErrorResponse, useLocation, useRevalidator } from "react-router";
import { isUnsent } from "~/lib/forms/form-result";
import { Button, ButtonLink } from "../inputs/button";
import { ErrorDetails } from "./default-view";
import { isNotFound, isUnreachable, passingText, refusedText } from "./error-messages";
import { GoBack } from "../navigation/go-back";
import { NotFoundScreen } from "./not-found-screen";
import { Recovery } from "./recovery";
import { CenteredScreen } from "../centered-screen";

type ErrorScreenProps = {
  error: unknown;
  atRoot?: boolean;
};

export function ErrorScreen({ error, atRoot }: ErrorScreenProps) {
  return isNotFound(error) ? <NotFoundScreen /> : <GeneralErrorScreen error={error} atRoot={atRoot} />;
}

function GeneralErrorScreen({ error, atRoot = false }: ErrorScreenProps) {
  const unsent = isRouteErrorResponse(error) && isUnsent(error.data) ? error.data.unsent : null;
  return (
    <CenteredScreen
      frame="askew"
      title={isUnreachable(error) ? "The server is not responding" : "Something went wrong"}
      text={textFor(error, unsent !== null)}
    >
      {unsent ? null : <Recovery error={error} />}
      {unsent ? <SendAgain {...unsent} /> : <TryAgain />}
      {atRoot ? <ButtonLink to="/">Home</ButtonLink> : <GoBack>Go Back</GoBack>}
      <ErrorDetails error={error} />
    </CenteredScreen>
  );
}

function textFor(error: unknown, unsent: boolean): string {
  if (unsent) return "Your form was not sent. Your input is kept. Try again in a moment.";
  return passingText(error) ?? refusedText(error) ?? "Something went wrong on our side. Your saved work is safe.";
}

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
      <Button type="submit" variant="primary" disabled={state !== "idle"}>
        Try Again
      </Button>
    </form>
  );
}

function SendAgain({ action, fields }: { action: string; fields: [string, string][] }) {
  return (
    <form method="post" action={action}>
      {fields.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" variant="primary">
        Try Again
      </Button>
    </form>
  );
}
