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

const EXAMPLE = `[team]
join = "listed"          # or "open": everybody who can sign in
join_groups = ["lab"]    # besides, the members of these groups`;

function Shown({ state }: { state: TeamState }) {
  const groups = state.join_groups ?? [];
  return (
    <Stack gap="sm">
      <List size="sm" spacing={4}>
        <List.Item>Whoever is invited by a link.</List.Item>
        {state.join === 'open' && (
          <List.Item>
            Everybody who can sign in with an account of this machine, the directory or single sign-on.
          </List.Item>
        )}
        {state.join !== 'open' && groups.length > 0 && (
          <List.Item>Members of {groups.join(', ')}, as the directory knows them.</List.Item>
        )}
        {state.join !== 'open' && groups.length === 0 && (
          <List.Item>Nobody else, even if this machine or a directory knows them.</List.Item>
        )}
      </List>
      <Text size="sm" c="dimmed">
        This is a setting of the server, in its <Code>settings.toml</Code>, where accounts of the machine (PAM), a
        directory (LDAP) and single sign-on (OIDC) are set up as well:
      </Text>
      <CopyLine text={EXAMPLE} label="Copy the settings" />
    </Stack>
  );
}
