/** Images of a task by series, and which of each is shown at a step. */

import type { ImageFile } from '../../../api/types';

export interface Series {
  name: string;
  /** By step. */
  images: ImageFile[];
}

export function seriesOf(images: readonly ImageFile[]): Series[] {
  const found = new Map<string, ImageFile[]>();
  for (const image of images) {
    const known = found.get(image.series);
    if (known) known.push(image);
    else found.set(image.series, [image]);
  }
  return [...found].map(([name, members]) => ({ name, images: members }));
}

export function stepsOf(images: readonly ImageFile[]): number[] {
  const steps = new Set(images.map(({ step }) => step).filter((step) => step != null));
  return [...steps].sort((a, b) => a - b);
}

/** The last image up to a step; of a series that begins later, its first. */
export function shownAt({ images }: Series, step: number): ImageFile | undefined {
  return images.findLast((image) => (image.step ?? Number.NEGATIVE_INFINITY) <= step) ?? images[0];
}
