/** What the calendar shows, as it stands in the address. */

import { useUrlState } from '../../lib/urlState';

export const VIEW = { days: 7, from: '', host: '', model: '', free: 0, folded: [] as string[] };

export function useCalendarView() {
  return useUrlState(VIEW);
}

export type CalendarView = ReturnType<typeof useCalendarView>[0];
export type SetView = ReturnType<typeof useCalendarView>[1];
