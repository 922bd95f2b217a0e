import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSignIn } from './useSignIn';

/** Takes the token itself, or the whole link that the server printed. */
function tokenIn(text: string): string {
  const link = /[?&]token=([^&\s]+)/.exec(text);
  return link?.[1] ? decodeURIComponent(link[1]) : text.trim();
}

export function TokenForm() {
  const [text, setText] = useState('');
  const { submit, busy, error } = useSignIn(
    'This token is not valid for this server: paste the link that its paddock up printed.',
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit({ token: tokenIn(text) });
  };
  return (
    <Stack component="form" onSubmit={onSubmit}>
      <PasswordInput
        label="Token or link"
        autoFocus
        autoComplete="current-password"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={error}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
      />
      <Button type="submit" loading={busy} disabled={tokenIn(text) === ''}>
        Sign in
      </Button>
    </Stack>
  );
}
