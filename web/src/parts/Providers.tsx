import { Alert, Button } from '@mantine/core';
import type { Provider } from '../api/types';

interface Props {
  providers: Provider[];
  /** Where to go on this page after that. */
  next: string;
  /** The code of an invitation. */
  code?: string;
  filled?: boolean;
}

/** A button per single sign-on provider. */
export function Providers({ providers, next, code, filled = false }: Props) {
  const query = new URLSearchParams({ next, ...(code ? { code } : {}) });
  return providers.map(({ name, title }) => (
    <Button
      key={name}
      variant={filled ? 'filled' : 'default'}
      component="a"
      h="auto"
      mih={36}
      py={6}
      styles={{ label: { whiteSpace: 'normal', textAlign: 'center', lineHeight: 1.35 } }}
      href={`/api/v1/session/oidc/${encodeURIComponent(name)}/begin?${query}`}
    >
      Continue with {title}
    </Button>
  ));
}

const FAILURES: Record<string, string> = {
  not_allowed: 'You have no account here: ask an admin of the team to invite you.',
  conflict: 'Somebody else here has your name already, or it cannot be a name here: ask an admin.',
  sign_in_unavailable: 'The sign-in provider does not answer: try again later, or tell an admin.',
};

/** Why somebody who comes back from a provider is not in; the server says so in the address. */
export function ReturnFailed() {
  const code = new URLSearchParams(location.search).get('sign_in_error');
  if (code === null) return null;
  return (
    <Alert color="red" variant="outline" role="alert" p="xs">
      {FAILURES[code] ?? 'That sign-in did not work, or took too long: try again.'}
    </Alert>
  );
}
