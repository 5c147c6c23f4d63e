import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** Runs the loader again for links that appeared since, because only the app server can open their addresses. */
export function useLoadAddresses(links: { _id: string }[], addresses: Record<string, string | null>): void {
  const { revalidate } = useRevalidator();
  const unknown = links.find(({ _id }) => addresses[_id] === undefined)?._id;
  useEffect(() => {
    if (unknown !== undefined) void revalidate();
  }, [unknown, revalidate]);
}
