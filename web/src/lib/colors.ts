/** Colours of curves: legible on light and dark, distinct also for people who see fewer colours. */

const LIGHT = [
  '#1d6396',
  '#c2571a',
  '#3d7f3f',
  '#8a4fa3',
  '#a8323e',
  '#6b6420',
  '#1f8a8a',
  '#b0467e',
  '#5b5fc7',
  '#6d5a4d',
];
const DARK = [
  '#6cb6ec',
  '#f0995f',
  '#86c98a',
  '#c79adf',
  '#ee8088',
  '#cdc56a',
  '#63cfcf',
  '#ea8fbd',
  '#a0a4f5',
  '#c4ab99',
];

export function seriesColor(index: number, dark: boolean): string {
  const colors = dark ? DARK : LIGHT;
  return colors[index % colors.length] as string;
}

/** Position in an order, 0 the best: from the accent to a quiet grey, for many curves in one graph. */
export function rankColor(part: number, dark: boolean): string {
  const at = Math.min(Math.max(part, 0), 1);
  const [from, to] = dark
    ? [
        [108, 182, 236],
        [96, 104, 116],
      ]
    : [
        [29, 99, 150],
        [186, 194, 204],
      ];
  const mixed = (from as number[]).map((value, i) =>
    Math.round(value + (((to as number[])[i] as number) - value) * at),
  );
  return `rgb(${mixed.join(' ')})`;
}
