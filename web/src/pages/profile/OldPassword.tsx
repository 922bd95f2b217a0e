import { PasswordInput } from '@mantine/core';

export function OldPassword({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label="Password so far"
      autoComplete="current-password"
      maxLength={1000}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the old password' }}
    />
  );
}
