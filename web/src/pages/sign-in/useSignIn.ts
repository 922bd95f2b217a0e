import { useState } from 'react';
import { ApiError, signIn } from '../../api/client';
import type { SignIn } from '../../api/types';
import { errorText } from '../../parts/ErrorPanel';

/** `wrong`: what is shown when the server does not accept what was given. */
export function useSignIn(wrong: string, onDone?: () => void) {
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (body: SignIn) => {
    setBusy(true);
    setFailure(null);
    try {
      await signIn(body);
      onDone?.();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const refused = failure instanceof ApiError && failure.status === 401;
  const retryAt = failure instanceof ApiError && failure.status === 429 ? failure.retryAt : null;
  return { submit, busy, retryAt, error: failure === null ? null : refused ? wrong : errorText(failure) };
}
