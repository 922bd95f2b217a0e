/** Where something lies on the lanes. */

import type { CSSProperties } from 'react';
import type { Reservation } from '../../../api/types';
import { percentOf, type Span } from '../lib/span';

export const ROW = 22;

export interface Area {
  row: number;
  rows: number;
  from: number;
  until: number;
}

/** What a reservation would become. */
export interface Change {
  reservation: Reservation;
  devices: string[];
  from: number;
  until: number;
}

export interface Selection {
  devices: string[];
  from: number;
  until: number;
}

export function styleOf(span: Span, { row, rows, from, until }: Area): CSSProperties {
  const left = Math.max(percentOf(span, from), 0);
  const right = Math.min(percentOf(span, until), 100);
  return { top: row * ROW + 1, height: rows * ROW - 3, left: `${left}%`, width: `calc(${right - left}% - 1px)` };
}
