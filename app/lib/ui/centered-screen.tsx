import type { ReactNode } from "react";
import { clsx } from "clsx";

type ScreenProps = {
  title: string;
  text?: ReactNode;
  frame?: "empty" | "askew";
  children?: ReactNode;
};

export function CenteredScreen({ title, text, frame = "empty", children }: ScreenProps) {
  return (
    <section className="mx-auto grid min-h-[70dvh] max-w-md content-center justify-items-start gap-6 px-6 py-16">
      <div
        aria-hidden="true"
        className="grid h-32 w-44 place-items-center overflow-hidden rounded-lg border bg-mat bg-[radial-gradient(70%_85%_at_50%_0%,var(--lamp),transparent)]"
      >
        <div className={clsx("h-14 w-20 rounded-sm border border-dashed border-edge", frame === "askew" && "origin-top-left rotate-12")} />
      </div>
      <div className="grid gap-2">
        <h1 className="text-xl">{title}</h1>
        {text ? <p className="text-soft">{text}</p> : null}
      </div>
      <div className="flex flex-wrap gap-2">{children}</div>
    </section>
  );
}
