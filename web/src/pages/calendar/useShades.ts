import { useMemo } from 'react';
import { useMe } from '../../api/me';
import { useAllowedHours } from '../../api/reservations';
import type { Row } from './lib/rows';
import { shadesOf } from './lib/shades';
import type { Span } from './lib/span';
import type { Area } from './timeline/place';

/** The hours of each row that no rule lets one reserve. */
export function useShades(rows: readonly Row[], { from, until }: Span): Area[] {
  const { team } = useMe();
  const { data: allowed } = useAllowedHours(team, from, until);
  return useMemo(() => (allowed ? shadesOf(allowed, rows, from, until) : []), [allowed, rows, from, until]);
}
