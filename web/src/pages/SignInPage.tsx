import { Button, Code, Container, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, signIn } from '../api/client';
import { errorText } from '../parts/ErrorPanel';
import { useTitle } from '../parts/Page';

/** Takes the token itself, or the whole link that the server printed. */
function tokenIn(text: string): string {
  const link = /[?&]token=([^&\s]+)/.exec(text);
  return link?.[1] ? decodeURIComponent(link[1]) : text.trim();
}

export default function SignInPage() {
  useTitle('Sign in');
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(tokenIn(text));
    } catch (failure) {
      const wrong = failure instanceof ApiError && failure.status === 401;
      setError(
        wrong
          ? 'This token is not valid for this server: paste the link that its paddock up printed.'
          : errorText(failure),
      );
      setBusy(false);
    }
  };
  return (
    <Container size={440} pt="15vh" component="main">
      <Paper withBorder p="xl" radius="md" component="form" onSubmit={submit} className="app-panel">
        <Stack>
          <Group gap="sm">
            <img src="/favicon.svg" alt="" width={30} height={30} />
            <Title order={1}>Paddock</Title>
          </Group>
          <Text size="sm" c="dimmed">
            Open the link that <Code>paddock up</Code> printed, or paste it here. The token in it is enough.
          </Text>
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
      </Paper>
    </Container>
  );
}
