import { href } from "react-router";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Page, PageHeader } from "~/ui/page";

/** Where a page that is about what was chosen elsewhere is opened by itself. */
export function NothingChosen({ thing }: { thing: string }) {
  return (
    <Page>
      <PageHeader title={`Move ${thing}s`} />
      <EmptyState
        title="Nothing is chosen"
        text={`Choose some ${thing}s first: by ‘Select’, above them.`}
        action={<ButtonLink to={href("/projects")}>All projects</ButtonLink>}
      />
    </Page>
  );
}
