import { absolute, ago, clock } from '../lib/format';
import { useNow } from './RelativeTime';

/** When something is expected to start: `in 2 h (14:05)`. */
export function StartTime({ at }: { at: string }) {
  const now = useNow();
  const late = Date.parse(at) <= now;
  return (
    <time dateTime={at} title={absolute(at)}>
      {late ? 'any moment' : ago(at, now)} ({clock(at, now)})
    </time>
  );
}
