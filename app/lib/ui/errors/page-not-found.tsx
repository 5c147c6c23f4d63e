import { CenteredScreen } from "../centered-screen";
import { ButtonLink } from "../inputs/button";
import { GoBack } from "../navigation/go-back";

export function PageNotFound() {
  return (
    <CenteredScreen title="Page not found" text="There is no page at this address.">
      <GoBack variant="primary">Go back</GoBack>
      <ButtonLink to="/">Start Over</ButtonLink>
    </CenteredScreen>
  );
}
