import { absolute, ago, clock } from '../lib/format';
import { startWords } from '../lib/waits';
import { useNow } from './RelativeTime';

/** When something is expected to start: `at 14:05 (in 2 h)`. */
export function StartTime({ at }: { at: string }) {
  const now = useNow();
  const late = Date.parse(at) <= now;
  return (
    <time dateTime={at} title={absolute(at)}>
      {startWords(at, now)} ({late ? clock(at, now) : ago(at, now)})
    </time>
  );
}
