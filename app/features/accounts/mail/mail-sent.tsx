import { useEffect, useState } from "react";
import { Form, useNavigation } from "react-router";
import { Button } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import { AuthPage } from "../auth-page";

type SentProps = {
  email: string;
  text: string;
  fields?: Record<string, string>;
  pauseSeconds: number;
  again: string;
};

export function MailSent({ email, text, fields = {}, pauseSeconds, again }: SentProps) {
  return (
    <AuthPage
      title="Check your email"
      aside={
        <>
          Wrong address?{" "}
          {
            <Link to={again} reloadDocument referrerPolicy="no-referrer" className="text-accent-text underline underline-offset-4">
              Use another address
            </Link>
          }
        </>
      }
    >
      <div aria-live="polite" className="grid gap-3">
        <p className="text-soft">{text}</p>
        <p className="text-sm text-faint wrap-anywhere">
          Requested for {email}. If it does not arrive within a few minutes, check your spam folder.
        </p>
      </div>
      <Form method="post" className="grid">
        {Object.entries({ ...fields, email }).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SendAgain pauseSeconds={pauseSeconds} />
      </Form>
    </AuthPage>
  );
}

function SendAgain({ pauseSeconds }: { pauseSeconds: number }) {
  const sending = useNavigation().formMethod === "POST";
  const [secondsLeft, setLeft] = useState(0);
  useEffect(() => {
    if (sending) return;
    const until = Date.now() + pauseSeconds * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [pauseSeconds, sending]);
  const wait = sending || secondsLeft > 0;
  return (
    <Button type="submit" aria-disabled={wait} onClick={(event) => wait && event.preventDefault()}>
      {secondsLeft > 0 ? `Resend email (in ${secondsLeft} s)` : "Resend email"}
    </Button>
  );
}
