import { ButtonLink } from "./button";
import { GoBack } from "./go-back";
import { Screen } from "./screen";

/** For what does not exist, and for what is somebody else's: the two look the same (specification 2). */
export function NotFoundScreen() {
  return (
    <Screen title="Nothing here" text="The page you are looking for does not exist.">
      <GoBack look="primary">Go back</GoBack>
      <ButtonLink to="/">Start Over</ButtonLink>
    </Screen>
  );
}
