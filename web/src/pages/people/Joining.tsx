import { Code, List, Stack, Text } from '@mantine/core';
import { useTeam } from '../../api/people';
import type { TeamState } from '../../api/types';
import { CopyLine } from '../../parts/CopyLine';
import { Loaded } from '../../parts/Page';

/** Who may join, as the settings of the server say it: they are in a file, where a lab keeps them. */
export function Joining() {
  const team = useTeam();
  return (
    <Loaded query={team} what="team">
      {(state) => <Shown state={state} />}
    </Loaded>
  );
}

const EXAMPLE =
  '[team]\njoin = "listed"           # or "open"\njoin_groups = ["lab"]     # these may join without an invitation';

function Shown({ state }: { state: TeamState }) {
  return (
    <Stack gap="sm">
      <Text size="sm">Everybody who is invited by link may join. Besides:</Text>
      <List size="sm" spacing={4}>
        <List.Item>
          {state.accounts === 1 ? 'You are the only account so far.' : `${state.accounts} accounts so far.`}
        </List.Item>
      </List>
      <Text size="sm" c="dimmed">
        Accounts of this machine (PAM), a directory (LDAP) or single sign-on (OIDC) are set up in the server’s{' '}
        <Code>config.toml</Code>, and so is who of them may join:
      </Text>
      <CopyLine text={EXAMPLE} label="Copy the settings" />
    </Stack>
  );
}
