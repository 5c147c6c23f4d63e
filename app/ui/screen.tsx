import type { ReactNode } from "react";

/** A screen that says one thing, in the middle of whatever is left of the page. */
export function Screen({ title, text, children }: { title: string; text?: ReactNode; children?: ReactNode }) {
  return (
    <section className="mx-auto grid min-h-[70dvh] max-w-md content-center justify-items-start gap-6 px-6 py-16">
      <div className="grid gap-2">
        <h1 className="text-xl">{title}</h1>
        {text ? <p className="text-soft">{text}</p> : null}
      </div>
      <div className="flex flex-wrap gap-2">{children}</div>
    </section>
  );
}
