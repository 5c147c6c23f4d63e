import { useEffect, useState } from "react";
import { Form, Link, useNavigation } from "react-router";
import { Button } from "~/ui/button";
import { AuthPage } from "../auth-page";

type SentProps = {
  /** To which address. */
  email: string;
  /** What was, or would have been, sent: the words are the same whether there is an account or not. */
  text: string;
  /** Fields that the form to send it again needs besides the address. */
  fields?: Record<string, string>;
  /** How long to wait before it may be sent again, in seconds. */
  pause: number;
  /** Back to the form, for another address. */
  again: string;
};

/** What stands in place of a form whose answer is in a mail. */
export function Sent({ email, text, fields = {}, pause, again }: SentProps) {
  return (
    <AuthPage
      title="Check your email"
      aside={
        <>
          Wrong address?{" "}
          {
            <Link to={again} reloadDocument className="text-accent-text underline underline-offset-4">
              Use another one
            </Link>
          }
        </>
      }
    >
      <div aria-live="polite" className="grid gap-3">
        <p className="text-soft">{text}</p>
        <p className="text-sm text-faint wrap-anywhere">
          Asked for {email}. If nothing comes within a few minutes, look into the folder for spam.
        </p>
      </div>
      <Form method="post" className="grid">
        {Object.entries({ ...fields, email }).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SendAgain pause={pause} />
      </Form>
    </AuthPage>
  );
}

/** The server keeps the pause too; here it is shown. Without scripts the button is there from the start, and the server says how long to wait. */
function SendAgain({ pause }: { pause: number }) {
  const sending = useNavigation().formMethod === "POST";
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (sending) return;
    const until = Date.now() + pause * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [pause, sending]);
  const wait = sending || left > 0;
  return (
    <Button type="submit" aria-disabled={wait} onClick={(event) => wait && event.preventDefault()}>
      {left > 0 ? `Send it again (in ${left} s)` : "Send it again"}
    </Button>
  );
}
