/** A sentence in which parts of a command stand between backticks, drawn as such. */
export function WithCode({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the sentence never changes its parts.
      <code key={at} className="font-mono text-[0.92em]">
        {part}
      </code>
    ),
  );
}
