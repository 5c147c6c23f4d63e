import { Avatar } from "~/lib/ui/avatar";
import { isolate } from "~/lib/ui/isolate";

const SHOWN = 3;

export function MemberAvatars({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  const shown = names.slice(0, SHOWN);
  const more = names.length > SHOWN;
  return (
    <span className="inline-flex items-center gap-1 align-middle" title={`${shown.join(", ")}${more ? ", …" : ""}`}>
      <span className="sr-only">
        Members: {shown.map(isolate).join(", ")}
        {more ? " and others" : ""}
      </span>
      <span aria-hidden="true" className="flex -space-x-1">
        {shown.map((name, index) => (
          <Avatar key={`${index} ${name}`} name={name} email="" image={null} className="size-5 text-[0.625rem]" />
        ))}
      </span>
      {more ? <span aria-hidden="true">…</span> : null}
    </span>
  );
}
