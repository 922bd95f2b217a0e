import { Anchor, Divider } from '@mantine/core';
import { useState } from 'react';
import { useMethods } from '../../api/me';
import { PasswordForm } from '../sign-in/PasswordForm';
import { Providers } from '../sign-in/Providers';

/** Whoever is known to a directory or a provider takes an invitation with that account. */
export function OtherWays({ code }: { code: string }) {
  const { data: methods } = useMethods();
  const [open, setOpen] = useState(false);
  if (!methods?.directories && !methods?.providers?.length) return null;
  return (
    <>
      <Divider label="or, in place of a new password" />
      <Providers methods={methods} next="/" code={code} />
      {methods.directories && (
        <Anchor component="button" type="button" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          Sign in with your account of the machine or the directory
        </Anchor>
      )}
      {open && <PasswordForm code={code} onDone={() => location.replace('/')} />}
    </>
  );
}
