import type { ReactNode } from "react";

type AuthPageProps = {
  title: string;
  children: ReactNode;
  /** What somebody may want who is wrong here. */
  aside?: ReactNode;
};

/** The calm column of the pages for those who are not signed in. */
export function AuthPage({ title, children, aside }: AuthPageProps) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[22rem] flex-col justify-center gap-8 px-4 py-12">
      <header className="grid gap-2">
        <p className="text-sm font-medium text-faint">Atelier</p>
        <h1 className="text-2xl">{title}</h1>
      </header>
      {children}
      {aside ? <p className="text-base text-soft">{aside}</p> : null}
    </main>
  );
}
