import { href } from "react-router";
import { NavLink } from "~/lib/ui/navigation/link";

const links = [
  { to: href("/account"), label: "Profile" },
  { to: href("/account/security"), label: "Security" },
  { to: href("/account/sessions"), label: "Sessions" },
  { to: href("/account/connections"), label: "Connections" },
  { to: href("/account/notifications"), label: "Notifications" },
  { to: href("/account/tokens"), label: "Access tokens" },
  { to: href("/account/activity"), label: "Account activity" },
  { to: href("/account/data"), label: "Data" },
];

export function AccountNav() {
  return (
    <nav aria-label="Account" className="-mx-4 overflow-x-auto border-b px-4 md:mx-0 md:px-0">
      <ul className="flex w-max gap-3.5 sm:gap-5">
        {links.map(({ to, label }) => (
          <li key={to}>
            <NavLink
              to={to}
              end
              prefetch="intent"
              className="-mb-px flex h-10 items-center border-b-2 border-transparent text-soft hover:text-ink aria-[current=page]:border-accent-text aria-[current=page]:text-ink pointer-coarse:h-11 pointer-coarse:min-w-11"
            >
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
