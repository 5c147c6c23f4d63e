import { useNavigate } from "react-router";
import { Button, ButtonLink } from "../inputs/button";
import { NOT_FOUND_TEXT } from "~/lib/http/error-texts";
import { CenteredScreen } from "../centered-screen";
import { useScripted } from "../use-scripted";

/** Renders the same screen for missing items and for items of others (specification 2). */
export function NotFoundScreen() {
  return (
    <CenteredScreen title="Not found" text={NOT_FOUND_TEXT}>
      <RecoveryLinks />
    </CenteredScreen>
  );
}

function RecoveryLinks() {
  const navigate = useNavigate();
  const isScripted = useScripted();
  if (!isScripted)
    return (
      <>
        <ButtonLink to="/" variant="primary" prefetch="none">
          Go back
        </ButtonLink>
        <ButtonLink to="/">Start Over</ButtonLink>
      </>
    );
  const start = () => void navigate("/");
  const back = () => (window.history.length < 2 ? start() : void navigate(-1));
  return (
    <>
      <Button variant="primary" onClick={back}>
        Go back
      </Button>
      <Button onClick={start}>Start Over</Button>
    </>
  );
}
