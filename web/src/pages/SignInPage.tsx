import { Alert, Anchor, Button, Code, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api, signIn, take } from '../api/client';
import { keys } from '../api/keys';
import type { SignIn, SignInMethods } from '../api/types';
import { duration } from '../lib/format';
import { ownPath } from '../lib/ownPath';
import { errorText } from '../parts/ErrorPanel';
import { FrontPage } from '../parts/FrontPage';
import { useTitle, Waiting } from '../parts/Page';
import { Providers, ReturnFailed } from '../parts/Providers';
import { useNow } from '../parts/RelativeTime';

/** Takes the token itself, or the whole link that the server printed. */
function tokenIn(text: string): string {
  const link = /[?&]token=([^&\s]+)/.exec(text);
  return link?.[1] ? decodeURIComponent(link[1]) : text.trim();
}

export default function SignInPage() {
  useTitle('Sign in');
  const methods = useQuery({
    queryKey: keys.methods(),
    queryFn: ({ signal }) => take(api.GET('/api/v1/session/methods', { signal })),
    staleTime: 0,
  });
  if (methods.isPending) return <Waiting />;
  return methods.data?.team ? <TeamSignIn methods={methods.data} /> : <TokenSignIn />;
}

/** Where one wanted to go: the address as it is, unless it is that of this page. */
function wanted(): string {
  const query = new URLSearchParams(location.search);
  if (location.pathname === '/sign-in') return ownPath(query.get('next'));
  query.delete('sign_in_error');
  return location.pathname + (query.size > 0 ? `?${query}` : '');
}

function useSignIn(wrong: string) {
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (body: SignIn) => {
    setBusy(true);
    setFailure(null);
    try {
      await signIn(body);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const refused = failure instanceof ApiError && failure.status === 401;
  const retryAt = failure instanceof ApiError && failure.status === 429 ? failure.retryAt : null;
  return { submit, busy, retryAt, error: failure === null ? null : refused ? wrong : errorText(failure) };
}

function TeamSignIn({ methods }: { methods: SignInMethods }) {
  const [byToken, setByToken] = useState(false);
  const providers = methods.providers ?? [];
  return (
    <FrontPage title="Sign in">
      <ReturnFailed />
      {methods.passwords && <PasswordForm />}
      {methods.passwords && providers.length > 0 && <Divider label="or" />}
      <Providers providers={providers} next={wanted()} filled={!methods.passwords} />
      <Anchor component="button" type="button" size="sm" aria-expanded={byToken} onClick={() => setByToken(!byToken)}>
        Use the link’s token
      </Anchor>
      {byToken && <TokenForm />}
    </FrontPage>
  );
}

function PasswordForm() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { submit, busy, error, retryAt } = useSignIn('The name or the password is not right.');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit({ name: name.trim(), password });
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

function TokenSignIn() {
  return (
    <FrontPage title="Paddock">
      <Text size="sm" c="dimmed">
        Open the link that <Code>paddock up</Code> printed, or paste it here. The token in it is enough.
      </Text>
      <TokenForm />
    </FrontPage>
  );
}

function TokenForm() {
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
