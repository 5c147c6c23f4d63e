import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { ButtonLink, type ButtonVariant } from "../inputs/button";

export function GoBack({ variant, children }: { variant?: ButtonVariant; children: ReactNode }) {
  const navigate = useNavigate();
  return (
    <ButtonLink
      to="/"
      prefetch="none"
      variant={variant}
      onClick={(event) => {
        if (window.history.length < 2) return;
        event.preventDefault();
        void navigate(-1);
      }}
    >
      {children}
    </ButtonLink>
  );
}
