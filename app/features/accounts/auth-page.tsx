import type { ReactNode } from "react";
import { Logo } from "~/lib/ui/icons/logo";

type AuthPageProps = {
  title: string;
  children: ReactNode;
  aside?: ReactNode;
};

export function AuthPage({ title, children, aside }: AuthPageProps) {
  return (
    <div className="grid min-h-dvh place-items-center bg-[radial-gradient(48rem_32rem_at_50%_0%,var(--lamp),transparent)]">
      <main className="grid w-full max-w-[22rem] grid-cols-1 gap-8 px-4 py-12">
        <header className="grid grid-cols-1 gap-6">
          <p className="flex items-center gap-2.5 text-lg font-semibold tracking-tight [&>svg]:size-7">
            <Logo />
            Atelier
          </p>
          <h1 className="text-2xl wrap-break-word">{title}</h1>
        </header>
        {children}
        {aside ? <p className="text-base text-soft">{aside}</p> : null}
      </main>
    </div>
  );
}
