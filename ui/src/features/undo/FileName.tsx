/** A path as seen from the session's folder: where it is, quietly, and its name. */
import { pathFrom } from "@/shared/DiffView";
import { shortPath } from "@/shared/steps";

export function FileName({ path, root }: { path: string; root: string }) {
  const shown = shortPath(pathFrom(root, path));
  const at = shown.lastIndexOf("/") + 1;
  return (
    <p className="font-mono text-sm wrap-anywhere" title={path}>
      <span className="text-ink-3">{shown.slice(0, at)}</span>
      <span className="text-ink">{shown.slice(at)}</span>
    </p>
  );
}
