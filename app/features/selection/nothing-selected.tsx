import { href } from "react-router";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { EmptyState } from "~/lib/ui/empty-state";
import { Page, PageHeader } from "~/lib/ui/page";

export function NothingSelected({ thing }: { thing: string }) {
  return (
    <Page>
      <PageHeader title={`Move ${thing}s`} />
      <EmptyState
        title="Nothing selected"
        text={`Use “Select” above the list to select ${thing}s.`}
        action={<ButtonLink to={href("/projects")}>All projects</ButtonLink>}
      />
    </Page>
  );
}
