import { useMemo, useState } from "react";
import { href } from "react-router";
import type { LinkAuthor, LinkCommenting } from "~/features/comments/link-commenting";
import { type Refusal, refusalError } from "#convex/model/errors";

type Answer = { me?: LinkAuthor; refusal?: Refusal };

export function useLinkSending(token: string, commenter: LinkAuthor | null): LinkCommenting | null {
  const [written, setWritten] = useState<LinkAuthor | null>(null);
  const [name, setName] = useState<string | null>(null);
  const me = useMemo(() => {
    const author = written ?? commenter;
    return author && { ...author, name: name ?? author.name };
  }, [written, commenter, name]);
  return useMemo(
    () =>
      me && {
        me,
        setName,
        async run(call, args) {
          const response = await fetch(href("/s/:token/comments", { token }), {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ call, args, ...(me.isGuest && { name: me.name }) }),
          });
          const { me: author, refusal } = (await response.json().catch(() => ({}))) as Answer;
          if (author) return setWritten(author);
          throw refusal ? refusalError(refusal) : new Error(`Not saved: ${response.status}`);
        },
      },
    [token, me],
  );
}
