import { Stack, Text } from '@mantine/core';
import { useTeam } from '../../api/people';
import type { TeamCheck, TeamState } from '../../api/types';
import { CopyLine } from '../../parts/CopyLine';
import { IconAlert, IconCheck } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './People.module.css';

/** As whom tasks run, and what is missing for it: looked at again and again, as somebody may be mending it. */
export function RunAs() {
  const team = useTeam(true);
  return (
    <Loaded query={team} what="team">
      {(state) => <Shown state={state} />}
    </Loaded>
  );
}

function Shown({ state }: { state: TeamState }) {
  const checks = state.checks ?? [];
  return (
    <Stack gap="sm">
      <Text size="sm">
        {state.run_as === 'user'
          ? 'Tasks run as the person who asks for them: files, quotas and processes are that person’s.'
          : 'All tasks run as the user of the server. With run_as = "user" in the section [team] of its settings.toml, each runs as the person who asks for it.'}
      </Text>
      <ul className={styles.checks} aria-label="Checks">
        {checks.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </ul>
      {checks.some(({ ok }) => !ok) && (
        <Text size="xs" c="dimmed">
          Run what is missing in a terminal on the server’s machine. This page notices by itself.
        </Text>
      )}
    </Stack>
  );
}

function Check({ check: { name, ok, detail, run } }: { check: TeamCheck }) {
  return (
    <li data-ok={ok || undefined}>
      <span className={styles.mark}>{ok ? <IconCheck size={18} /> : <IconAlert size={18} />}</span>
      <div className={styles.check}>
        <strong>
          {name}
          <span className={styles.hidden}>{ok ? ': in order' : ': missing'}</span>
        </strong>
        {detail && <div className={styles.quiet}>{detail}</div>}
        {!ok && run && <CopyLine text={run} label={`Copy the command for ${name}`} />}
      </div>
    </li>
  );
}
