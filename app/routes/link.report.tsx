import { data, Form, href } from "react-router";
import { unlockedLink } from "~/features/links/open-link.server";
import { reportLink } from "~/features/links/visitor/report-link.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { textOf } from "~/lib/forms/intents";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { Page, PageHeader } from "~/lib/ui/page";
import type { Route } from "./+types/link.report";

export const meta: Route.MetaFunction = () => [{ title: "Report · Atelier" }, { name: "robots", content: "noindex" }];

export async function loader({ context }: Route.LoaderArgs) {
  await unlockedLink(context);
  if (context.get(configContext).publicLinks.reportTo === null) throw notFoundResponse();
  return null;
}

export async function action({ request, context }: Route.ActionArgs) {
  const link = await unlockedLink(context);
  const text = textOf(await readFormData(request), "text");
  const refused = await reportLink(context, link, text);
  return refused
    ? data({ text, problem: refused.problem, isSent: false }, { status: refused.status })
    : { text, problem: null, isSent: true };
}

export default function LinkReport({ actionData, params: { token } }: Route.ComponentProps) {
  const problem = actionData?.problem;
  return (
    <Page>
      <PageHeader title="Report this link" />
      {actionData?.isSent ? (
        <div className="grid max-w-xl justify-items-start gap-4">
          <p role="status">The report was sent to the operator.</p>
          <ButtonLink to={href("/s/:token", { token })}>Back to the link</ButtonLink>
        </div>
      ) : (
        <Form method="post" className="grid max-w-xl gap-4" noValidate>
          <Field htmlFor="report" label="What is wrong?" errorId="report-error" errors={problem ? [problem] : undefined}>
            <TextArea
              id="report"
              name="text"
              defaultValue={actionData?.text}
              aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? "report-error" : undefined}
            />
          </Field>
          <div>
            <Button type="submit" variant="primary">
              Send report
            </Button>
          </div>
        </Form>
      )}
    </Page>
  );
}
