/* The program's mark: a path of steps that bends back and goes on. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 16 16"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <circle cx="3" cy="12.5" r="1.8" />
      <circle cx="13" cy="3.5" r="1.8" />
      <path d="M11 3.5H5a2.25 2.25 0 0 0 0 4.5h6a2.25 2.25 0 0 1 0 4.5H5" />
    </svg>
  );
}
