import { useMemo } from 'react';
import { useSearchReport } from '../../api/search';
import type { TrialReport } from '../../api/types';

export type Means = ReadonlyMap<number, TrialReport>;

const NONE: Means = new Map();

/** Where configurations run several times: each by its number, with the mean and the spread of its tasks. */
export function useMeans(job: string, repeated: boolean): Means {
  const { data } = useSearchReport(job, repeated);
  return useMemo(
    () => (repeated && data ? new Map(data.history.map((trial) => [trial.trial, trial])) : NONE),
    [repeated, data],
  );
}
