export function Logo() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5 shrink-0">
      <path d="M4 16.5 10 3.5l6 13" fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" />
      <path d="m10 8.2-3.7 8.3h7.4z" fill="var(--accent)" />
    </svg>
  );
}
