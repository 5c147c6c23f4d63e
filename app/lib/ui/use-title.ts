import { useEffect } from "react";
import { useLocation } from "react-router";
import { isolate } from "./isolate";

export const titleOf = (name: string): string => `${isolate(name)} · Atelier`;

export function useTitle(title: string | null): void {
  const { key } = useLocation();
  useEffect(() => {
    if (title !== null && document.title !== title) document.title = title;
  }, [title, key]);
}
