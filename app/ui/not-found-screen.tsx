import { useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { Button, ButtonLink } from "./button";
import { Screen } from "./screen";

/** For what does not exist, and for what is somebody else's: the two look the same (specification 2). */
export function NotFoundScreen() {
  return (
    <Screen title="Nothing here" text="The page you are looking for does not exist.">
      <WaysOut />
    </Screen>
  );
}

/** Buttons (specification 2). Without scripts they are links, both to the start, since no link leads back. */
function WaysOut() {
  const navigate = useNavigate();
  const scripted = useSyncExternalStore(never, yes, no);
  if (!scripted)
    return (
      <>
        <ButtonLink to="/" look="primary" prefetch="none">
          Go back
        </ButtonLink>
        <ButtonLink to="/">Start Over</ButtonLink>
      </>
    );
  const start = () => void navigate("/");
  const back = () => (window.history.length < 2 ? start() : void navigate(-1));
  return (
    <>
      <Button look="primary" onClick={back}>
        Go back
      </Button>
      <Button onClick={start}>Start Over</Button>
    </>
  );
}

const never = () => () => {};
const yes = () => true;
const no = () => false;
