import { type ReactNode, useState } from "react";
import { useActionData } from "react-router";
import type { FormAnswer } from "~/lib/forms/form-result";
import { useScripted } from "~/lib/ui/use-scripted";

type FormDetailsProps = { summary: ReactNode; formId?: string; children: ReactNode };

export function FormDetails({ summary, formId, children }: FormDetailsProps) {
  const isScripted = useScripted();
  const [isRendered, setRendered] = useState(!isScripted);
  const answer = useActionData<FormAnswer | undefined>();
  const isRejected = formId !== undefined && answer?.form === formId && answer.result.status === "error";
  return (
    <details className="comment-details" open={isRejected || undefined} onToggle={() => setRendered(true)}>
      <summary>{summary}</summary>
      {isRendered ? children : null}
    </details>
  );
}
