import { Alert, Anchor, Code, Divider, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { useMethods } from '../../api/me';
import type { SignInMethods } from '../../api/types';
import { wanted } from '../../lib/ownPath';
import { FrontPage } from '../../parts/FrontPage';
import { useTitle, Waiting } from '../../parts/Page';
import { PasswordForm } from './PasswordForm';
import { Providers } from './Providers';
import { TokenForm } from './TokenForm';

export default function SignInPage() {
  useTitle('Sign in');
  const methods = useMethods();
  if (methods.isPending) return <Waiting />;
  return methods.data?.team ? <TeamSignIn methods={methods.data} /> : <TokenSignIn />;
}

function TeamSignIn({ methods }: { methods: SignInMethods }) {
  const [byToken, setByToken] = useState(false);
  const failure = providerFailure(new URLSearchParams(useSearch()).get('sign_in_error'));
  return (
    <FrontPage title="Sign in">
      {failure && (
        <Alert color="red" variant="outline" role="alert" p="xs">
          {failure}
        </Alert>
      )}
      {methods.passwords && <PasswordForm />}
      {methods.passwords && (methods.providers ?? []).length > 0 && <Divider label="or" />}
      <Providers methods={methods} next={wanted(location)} />
      <Anchor component="button" type="button" size="sm" aria-expanded={byToken} onClick={() => setByToken(!byToken)}>
        Use the link’s token
      </Anchor>
      {byToken && <TokenForm />}
    </FrontPage>
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

/** Why somebody came back from a provider without being in. */
function providerFailure(code: string | null): string | null {
  if (code === null) return null;
  const texts: Record<string, string> = {
    not_allowed: 'You have no account here: ask an admin of the team to invite you.',
    conflict: 'Your name is taken here, or cannot be the name of an account: ask an admin of the team.',
    sign_in_unavailable: 'The provider does not answer: try again later, or ask an admin to look at the server’s log.',
  };
  return texts[code] ?? 'Signing in with the provider did not work: try again.';
}
