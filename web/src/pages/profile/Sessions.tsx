import { Badge, Button } from '@mantine/core';
import { useEndSession, useSessions } from '../../api/profile';
import type { BrowserSession } from '../../api/types';
import { fromSeconds, plural } from '../../lib/format';
import { browserText } from '../../lib/people';
import { done, failed } from '../../parts/notify';
import { Loaded } from '../../parts/Page';
import { RelativeTime } from '../../parts/RelativeTime';
import { Panel } from './Panel';
import styles from './Profile.module.css';

/** The browsers in which one is signed in. */
export function Sessions() {
  const sessions = useSessions();
  const end = useEndSession();
  const others = (sessions.data ?? []).filter(({ current }) => !current);
  const endOthers = async () => {
    for (const { id } of others) await end.mutateAsync(id);
    done(`${plural(others.length, 'session')} ended`);
  };
  return (
    <Panel
      title="Where you are signed in"
      actions={
        others.length > 1 && (
          <Button size="compact-sm" variant="default" loading={end.isPending} onClick={() => endOthers().catch(failed)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions} what="list of sessions">
        {(all) => (
          <ul className={styles.list} aria-label="Sessions">
            {all.map((session) => (
              <li key={session.id}>
                <About session={session} />
                {!session.current && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    loading={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id, { onError: failed })}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function About({
  session: { browser, address, created_at: since, seen_at: seenAt, current },
}: {
  session: BrowserSession;
}) {
  return (
    <span title={browser}>
      {browserText(browser ?? '')}{' '}
      {current && (
        <Badge size="sm" variant="light" tt="none">
          this one
        </Badge>
      )}
      <small>
        {address && `${address} · `}since <RelativeTime at={fromSeconds(since)} />
        {seenAt && !current && (
          <>
            , last used <RelativeTime at={fromSeconds(seenAt)} />
          </>
        )}
      </small>
    </span>
  );
}
