import { Button, Text } from '@mantine/core';
import { plural } from '../../lib/format';
import { IconAlert, IconTerminal } from '../../parts/icons';
import { RelativeTime } from '../../parts/RelativeTime';
import { type AttemptRow, exitWords } from './lib/attempts';
import { causeWords } from './lib/words';
import styles from './task.module.css';
import { useErrorText } from './useErrorText';

interface Props {
  attempt: AttemptRow;
  /** A task of a map. */
  mapped: boolean;
  onJump: () => void;
}

/** What went wrong: cause, reason, traceback. */
export function FailurePanel({ attempt, mapped, onJump }: Props) {
  const { data: said } = useErrorText(attempt.task, attempt.number);
  const { title, hint } = causeWords(attempt.cause, mapped);
  const exit = exitWords(attempt);
  return (
    <section className={`app-panel ${styles.failure}`} aria-label="Error">
      <div className={styles.failureHead}>
        <IconAlert size={18} />
        <h2>{title}</h2>
        {said && (
          <Button size="compact-sm" variant="default" leftSection={<IconTerminal size={14} />} onClick={onJump}>
            Show in the log
          </Button>
        )}
      </div>
      {attempt.reason && <p className={styles.reason}>{attempt.reason}</p>}
      <Text size="sm" c="dimmed" mb={said ? 'sm' : 0}>
        {`Attempt ${attempt.number}`}
        {exit && ` · ${exit}`}
        {attempt.ended_at && (
          <>
            {' · '}
            <RelativeTime at={attempt.ended_at} />
          </>
        )}
        {hint && `. ${hint}`}
      </Text>
      {said && (
        <section
          className={styles.code}
          aria-label={said.found ? 'Traceback' : `The last ${plural(said.text.split('\n').length, 'line')} of the log`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
        >
          <pre>{said.text}</pre>
        </section>
      )}
    </section>
  );
}
