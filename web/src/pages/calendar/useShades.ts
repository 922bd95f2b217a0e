import type { Row } from './lib/rows';
import type { Span } from './lib/span';
import type { Area } from './timeline/place';

/** The hours of each row that no rule lets one reserve. */
export function useShades(_rows: readonly Row[], _span: Span): Area[] {
  return NONE;
}

const NONE: Area[] = [];
