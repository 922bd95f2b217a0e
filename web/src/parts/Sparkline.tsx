import { memo } from 'react';

interface Props {
  values: readonly (number | null)[];
  width?: number;
  height?: number;
  color?: string;
  label?: string;
}

/** The shape of a curve in the size of a word. */
export const Sparkline = memo(function Sparkline({
  values,
  width = 96,
  height = 26,
  color = 'var(--app-accent)',
  label = 'curve',
}: Props) {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (known.length < 2) return <svg width={width} height={height} aria-hidden="true" />;
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  const x = (i: number) => 2 + (i / (known.length - 1)) * (width - 6);
  const y = (value: number) => height - 3 - ((value - low) / span) * (height - 6);
  const points = known.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const last = known.length - 1;
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <polyline points={points} fill="none" stroke={color} strokeWidth={1.5} strokeLinejoin="round" />
      <circle cx={x(last)} cy={y(known[last] as number)} r={2} fill={color} />
    </svg>
  );
});
