import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMakeToken, useRevokeToken, useTokens } from '../../api/profile';
import type { PersonalToken, TokenScope } from '../../api/types';
import { fromSeconds } from '../../lib/format';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { CopyLine } from '../../parts/CopyLine';
import { IconKey } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import { RelativeTime } from '../../parts/RelativeTime';
import { Panel } from './Panel';
import styles from './Profile.module.css';

const SCOPES: { value: TokenScope; label: string }[] = [
  { value: 'all', label: 'Everything that you may do' },
  { value: 'read', label: 'Reading only' },
  { value: 'feed', label: 'Only the calendar’s address' },
];
const DAYS = [
  { value: '7', label: 'a week' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'no end, where that is allowed' },
];

/** For scripts and the command line, in place of a password. */
export function Tokens() {
  const tokens = useTokens();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<PersonalToken | null>(null);
  const [asked, setAsked] = useState<PersonalToken | null>(null);
  const revoke = useRevokeToken();
  return (
    <Panel
      title="Tokens"
      actions={
        <Button size="compact-sm" variant="default" leftSection={<IconKey size={14} />} onClick={() => setMaking(true)}>
          Make a token
        </Button>
      }
    >
      {made?.token && (
        <div role="status">
          <Text size="sm" mb={4}>
            Copy {made.name} now: it is not shown again.
          </Text>
          <CopyLine text={made.token} label="Copy the token" />
        </div>
      )}
      <Loaded query={tokens} what="list of tokens">
        {(all) =>
          all.length === 0 ? (
            <Text size="sm" c="dimmed">
              None. A token lets a script or the command line act as you, without your password.
            </Text>
          ) : (
            <ul className={styles.list} aria-label="Tokens">
              {all.map((token) => (
                <li key={token.id} className={token.revoked_at ? styles.over : undefined}>
                  <About token={token} />
                  {!token.revoked_at && (
                    <Button size="compact-sm" variant="default" onClick={() => setAsked(token)}>
                      Revoke
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <MakeToken key={String(making)} opened={making} onClose={() => setMaking(false)} onMade={setMade} />
      <ConfirmModal
        opened={asked !== null}
        title={`Revoke ${asked?.name}?`}
        action="Revoke"
        danger
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          if (asked) await revoke.mutateAsync(asked.id);
          if (asked?.id === made?.id) setMade(null);
        }}
      >
        <Text size="sm">Whatever uses it stops working at once.</Text>
      </ConfirmModal>
    </Panel>
  );
}

function About({ token }: { token: PersonalToken }) {
  const { name, scope, created_at: made, expires_at: until, used_at: used, revoked_at: revoked } = token;
  return (
    <span className="app-wrap-anywhere">
      {name}
      <small>
        {SCOPES.find(({ value }) => value === scope)?.label} · made <RelativeTime at={fromSeconds(made)} /> ·{' '}
        {revoked ? (
          <>
            revoked <RelativeTime at={fromSeconds(revoked)} />
          </>
        ) : until ? (
          <>
            ends <RelativeTime at={fromSeconds(until)} />
          </>
        ) : (
          'without end'
        )}{' '}
        ·{' '}
        {used ? (
          <>
            used <RelativeTime at={fromSeconds(used)} />
          </>
        ) : (
          'not used yet'
        )}
      </small>
    </span>
  );
}

interface MakeProps {
  opened: boolean;
  onClose: () => void;
  onMade: (token: PersonalToken) => void;
}

function MakeToken({ opened, onClose, onMade }: MakeProps) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<TokenScope>('all');
  const [days, setDays] = useState('90');
  const make = useMakeToken();
  const confirm = async () =>
    onMade(await make.mutateAsync({ name: name.trim(), scope, days: days === '' ? null : Number(days) }));
  return (
    <ConfirmModal
      opened={opened}
      title="Make a token"
      action="Make"
      fields
      ready={name.trim() !== ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          placeholder="my laptop"
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Good for"
          allowDeselect={false}
          data={SCOPES}
          value={scope}
          onChange={(chosen) => chosen && setScope(chosen as TokenScope)}
        />
        <Select
          label="Ends after"
          allowDeselect={false}
          data={DAYS}
          value={days}
          onChange={(chosen) => setDays(chosen ?? '90')}
        />
      </Stack>
    </ConfirmModal>
  );
}
