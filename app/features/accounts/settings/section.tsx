import type { ReactNode } from "react";
import { Card } from "~/lib/ui/card";
import { clsx } from "clsx";

type SectionProps = {
  title: string;
  about: ReactNode;
  dangerous?: boolean;
  children: ReactNode;
};

export function Section({ title, about, dangerous, children }: SectionProps) {
  return (
    <Card className={clsx("grid gap-5 p-5 sm:p-6", dangerous && "mt-4 border-danger-text/50")}>
      <div className="grid gap-1">
        <h2 className="text-lg">{title}</h2>
        <p className="text-soft">{about}</p>
      </div>
      {children}
    </Card>
  );
}
