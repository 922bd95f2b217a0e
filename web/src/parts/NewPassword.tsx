import { PasswordInput } from '@mantine/core';
import { SHORTEST } from '../lib/password';

interface Props {
  value: string;
  again: string;
  error?: string;
  onChange: (value: string) => void;
  onAgain: (value: string) => void;
}

/** A new password, twice. */
export function NewPassword({ value, again, error, onChange, onAgain }: Props) {
  return (
    <>
      <PasswordInput
        label="New password"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        description={`At least ${SHORTEST} characters: a few words are easy to remember`}
        autoComplete="new-password"
        maxLength={1000}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      <PasswordInput
        label="The same again"
        autoComplete="new-password"
        maxLength={1000}
        value={again}
        error={again && !value.startsWith(again) ? 'This is not the same' : undefined}
        onChange={(event) => onAgain(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
      />
    </>
  );
}
