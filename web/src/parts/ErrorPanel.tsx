import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/client';
import { IconAlert } from './icons';

interface Props {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, in the server's words, with the fields at fault. */
export function ErrorPanel({ error, title = 'That did not work', onRetry }: Props) {
  const text = errorText(error);
  const said = text.toLowerCase();
  const all = error instanceof ApiError ? Object.entries(error.fields) : [];
  const fields = all.filter(([, message]) => !said.includes(message.toLowerCase()));
  return (
    <Alert color="red" variant="outline" title={title} icon={<IconAlert size={18} />} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="app-wrap-anywhere">
          {text}
        </Text>
        {fields.map(([name, message]) => (
          <Text key={name} size="sm" className="app-wrap-anywhere">
            <Code>{name}</Code> {message}
          </Text>
        ))}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
