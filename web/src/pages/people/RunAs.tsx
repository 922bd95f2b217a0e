import { Code, Stack, Text, VisuallyHidden } from '@mantine/core';
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
          : 'All tasks run as the user of the server: everybody can read and change what others’ tasks wrote.'}
      </Text>
      {state.run_as !== 'user' && <AsThemselves />}
      {checks.length > 0 && (
        <ul className={styles.checks} aria-label="Checks">
          {checks.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </ul>
      )}
      {checks.some(({ ok }) => !ok) && (
        <Text size="xs" c="dimmed">
          Run what is missing in a terminal on the server’s machine. This page notices by itself.
        </Text>
      )}
    </Stack>
  );
}

const SETTING = '[team]\nrun_as = "user"';

function AsThemselves() {
  return (
    <>
      <Text size="sm" c="dimmed">
        On a machine where everybody has a Unix account, each task can run as the person who asks for it. Have root run{' '}
        <Code>paddock team install</Code> there, write this into the server’s <Code>settings.toml</Code>, and start it
        again:
      </Text>
      <CopyLine text={SETTING} label="Copy the setting" />
    </>
  );
}

function Check({ check: { name, ok, detail, run } }: { check: TeamCheck }) {
  return (
    <li data-ok={ok || undefined}>
      <span className={styles.mark}>{ok ? <IconCheck size={18} /> : <IconAlert size={18} />}</span>
      <div className={styles.check}>
        <strong>
          {name}
          <VisuallyHidden>{ok ? ': in order' : ': missing'}</VisuallyHidden>
        </strong>
        {detail && <div className={styles.quiet}>{detail}</div>}
        {!ok && run && <CopyLine text={run} label={`Copy the command for ${name}`} />}
      </div>
    </li>
  );
}
