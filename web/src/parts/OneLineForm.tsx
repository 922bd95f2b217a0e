import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

interface Props {
  label: string;
  /** The text of the button. */
  action: string;
  placeholder?: string;
  loading?: boolean;
  onSubmit: (text: string) => void;
}

/** A field for one line of text, such as a name, and a button. The text stays: the server may refuse it. */
export function OneLineForm({ label, action, placeholder, loading, onSubmit }: Props) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) onSubmit(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          label={label}
          placeholder={placeholder}
          maxLength={200}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button size="xs" type="submit" loading={loading} disabled={!text.trim()}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
