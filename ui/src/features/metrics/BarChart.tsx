/** Bars side by side or on top of each other, drawn by uPlot in the colours of the theme. For those who do not see it the
    same figures stand in a table. */
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export type Series = { label: string; values: number[]; color: string };

type Props = {
  /** Name of the chart. */
  label: string;
  /** What stands below each bar. */
  names: string[];
  /** The first is drawn behind the others. */
  series: Series[];
  format?: (value: number) => string;
};

const HEIGHT = 132;
const AXIS = 11;

export function BarChart({ label, names, series, format = String }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (!box || names.length === 0) return;
    const plot = new uPlot(
      options(box, names, series, format),
      [names.map((_, at) => at), ...series.map(({ values }) => values)],
      box,
    );
    const sized = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
    sized.observe(box);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [names, series, format]);
  return (
    <figure aria-label={label} className="min-w-0">
      <figcaption className="text-sm font-medium">{label}</figcaption>
      <div ref={place} aria-hidden className="mt-1 min-w-0" style={{ height: HEIGHT }} />
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <td />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, at) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {series.map((one) => (
                <td key={one.label}>{format(one.values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function options(
  box: HTMLElement,
  names: string[],
  series: Series[],
  format: (value: number) => string,
): uPlot.Options {
  const style = getComputedStyle(box);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: token("--ink-3"),
    font: `${AXIS}px ${style.fontFamily}`,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.7, 28] });
  return {
    width: box.clientWidth,
    height: HEIGHT,
    cursor: { show: false },
    legend: { show: false },
    padding: [8, 4, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, names.length - 0.4] },
      y: { range: (_, __, most) => [0, most || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 56,
        splits: (_, __, from, to, step) => {
          const every = Math.max(1, Math.ceil(step));
          return names.map((_name, at) => at).filter((at) => at % every === 0 && at >= from && at <= to);
        },
        values: (_, at) => at.map((one) => names[one] ?? ""),
      },
      { ...axis, size: 52, space: 28, values: (_, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.map(({ label, color }) => ({
        label,
        fill: token(color),
        width: 0,
        paths: bars,
        points: { show: false },
      })),
    ],
  };
}
