import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { ButtonLink, type ButtonVariant } from "../inputs/button";

export function GoBack({ look, children }: { look?: ButtonVariant; children: ReactNode }) {
  const navigate = useNavigate();
  return (
    <ButtonLink
      to="/"
      prefetch="none"
      look={look}
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
