import { Form } from "react-router";
import { PasswordField } from "~/lib/forms/fields/password-field";
import { Button } from "~/lib/ui/inputs/button";

export function UnlockForm({ problem }: { problem: string | undefined }) {
  return (
    <Form method="post" className="grid gap-4" noValidate>
      <PasswordField
        id="link-password"
        name="password"
        label="Password"
        autoComplete="current-password"
        errors={problem === undefined ? undefined : [problem]}
        autoFocus
      />
      <Button type="submit" variant="primary">
        Open link
      </Button>
    </Form>
  );
}
