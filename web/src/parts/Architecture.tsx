import { architectureText, type Layer } from '../lib/architecture';
import styles from './Architecture.module.css';

const HEIGHT = 18;
const GAP = 8;
const ARC = 10;
const LETTER = 6.4;
const AIR = 12;

/** The layers as boxes in a row; an arc where an earlier one is added to a later one. */
export function Architecture({ layers }: { layers: readonly Layer[] }) {
  const widths = layers.map(({ text }) => text.length * LETTER + AIR);
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, width) => sum + width + GAP, 0.5));
  const middle = (i: number) => (starts[i] ?? 0) + (widths[i] ?? 0) / 2;
  const top = layers.some(({ skip }) => skip !== null) ? ARC : 0.5;
  const width = (starts.at(-1) ?? 0) + (widths.at(-1) ?? 0) + 0.5;
  return (
    <svg
      className={styles.drawing}
      role="img"
      aria-label={architectureText(layers)}
      width={width}
      height={top + HEIGHT + 1}
      viewBox={`0 0 ${width} ${top + HEIGHT + 1}`}
    >
      {layers.map(({ text, title, skip }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: layers have no other name than their place
        <g key={i}>
          <title>{`${i + 1}: ${title}${skip === null ? '' : `, layer ${skip + 1} added`}`}</title>
          {i > 0 && (
            <line
              x1={(starts[i] ?? 0) - GAP}
              x2={starts[i]}
              y1={top + HEIGHT / 2}
              y2={top + HEIGHT / 2}
              className={styles.line}
            />
          )}
          {skip !== null && (
            <path
              className={styles.skip}
              d={`M${middle(skip)} ${top} C${middle(skip)} ${top - ARC} ${middle(i)} ${top - ARC} ${middle(i)} ${top}`}
            />
          )}
          <rect x={starts[i]} y={top} width={widths[i]} height={HEIGHT} rx={4} className={styles.box} />
          <text x={middle(i)} y={top + HEIGHT / 2 + 4} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
    </svg>
  );
}
