/* The project's own Markdown. Its links lead to places in a repository that is not here, so their words stand alone. */
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a: ({ children }) => <>{children}</>,
  h2: ({ children }) => <h3 className="mt-6 text-lg font-semibold text-ink first:mt-0">{children}</h3>,
  h3: ({ children }) => <h4 className="mt-4 font-semibold text-ink">{children}</h4>,
  p: ({ children }) => <p className="mt-1.5 text-ink-2 select-text">{children}</p>,
  code: ({ children }) => (
    <code className="rounded-xs bg-sunken px-1 font-mono text-[0.92em] wrap-anywhere text-ink">
      {children}
    </code>
  ),
  table: ({ children }) => <table className="mt-2 w-full text-left text-sm select-text">{children}</table>,
  th: ({ children }) => (
    <th className="border-b border-line py-1.5 pr-4 align-top font-semibold">{children}</th>
  ),
  td: ({ children }) => <td className="border-b border-line py-1.5 pr-4 align-top text-ink-2">{children}</td>,
};

export function Page({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
}
