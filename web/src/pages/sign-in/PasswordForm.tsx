import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { duration } from '../../lib/format';
import { useNow } from '../../parts/RelativeTime';
import { useSignIn } from './useSignIn';

interface Props {
  /** Of an invitation, for whoever a directory knows and the team not yet. */
  code?: string;
  onDone?: () => void;
}

export function PasswordForm({ code, onDone }: Props) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { submit, busy, error, retryAt } = useSignIn('The name or the password is not right.', onDone);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit({ name: name.trim(), password, ...(code && { code }) });
  };
  return (
    <Stack component="form" onSubmit={onSubmit}>
      <TextInput
        label="Name"
        autoFocus
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      {error && <Refused text={error} retryAt={retryAt} />}
      <Button type="submit" loading={busy} disabled={!name.trim() || !password}>
        Sign in
      </Button>
    </Stack>
  );
}

/** Why one is not in, and when to try again. */
function Refused({ text, retryAt }: { text: string; retryAt: number | null }) {
  const left = Math.ceil(((retryAt ?? 0) - useNow()) / 1000);
  return (
    <Alert color="red" variant="outline" role="alert" p="xs">
      {retryAt === null ? text : left > 0 ? `Too many tries. Try again in ${duration(left)}.` : 'Now try again.'}
    </Alert>
  );
}
