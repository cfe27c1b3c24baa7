/** Where a line of a demonstration's output stands in all of it. */
export function placed(lines: string[], at: number): { fromByte: number; bytes: number } {
  const size = (line: string) => new TextEncoder().encode(line).length + 1;
  const fromByte = lines.slice(0, at).reduce((sum, line) => sum + size(line), 0);
  return { fromByte, bytes: size(lines[at] ?? "") };
}
