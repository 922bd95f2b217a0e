import { Button } from '@mantine/core';
import type { SignInMethods } from '../../api/types';

interface Props {
  methods: SignInMethods;
  /** A path of this page, to go to afterwards. */
  next: string;
  /** Of an invitation. */
  code?: string;
}

/** A button for each single sign-on provider. */
export function Providers({ methods, next, code }: Props) {
  const query = new URLSearchParams({ next, ...(code && { code }) });
  return (methods.providers ?? []).map(({ name, title }) => (
    <Button
      key={name}
      variant={methods.passwords ? 'default' : 'filled'}
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
