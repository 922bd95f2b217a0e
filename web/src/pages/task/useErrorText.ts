import { useQuery } from '@tanstack/react-query';
import { readLog } from '../../api/logs';
import { errorText } from './lib/traceback';

const TAIL = 65_536;

/** The error at the end of the log of a failed attempt. */
export function useErrorText(task: string, attempt: number) {
  return useQuery({
    queryKey: ['error-text', task, attempt],
    queryFn: async ({ signal }) => {
      const { text } = await readLog(task, { attempt, offset: -TAIL, limit: TAIL }, signal);
      return errorText(text);
    },
  });
}
