import { useSyncExternalStore } from "react";

export function CookieNotice({ missing = false }: { missing?: boolean }) {
  const blocked = useSyncExternalStore(never, areCookiesBlocked, () => false);
  if (!missing && !blocked) return null;
  return (
    <p role="alert" className="text-danger-text">
      Your browser blocks cookies, and Atelier needs them to keep you signed in. Allow cookies for this site, then sign in.
    </p>
  );
}

const never = () => () => {};
const areCookiesBlocked = () => !navigator.cookieEnabled;
