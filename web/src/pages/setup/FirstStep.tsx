import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api, enter, take } from '../../api/client';
import type { SetupInfo, SetupRequest } from '../../api/types';
import { isUsable } from '../../lib/password';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { NewPassword } from '../../parts/NewPassword';

interface Props {
  code: string;
  info: SetupInfo;
  onDone: () => void;
}

/** A name and a password. The name of the first admin is settled: it is that of the jobs that are there. */
export function FirstStep({ code, info, onDone }: Props) {
  const [name, setName] = useState(info.name ?? '');
  const [fullName, setFullName] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const join = useMutation({
    mutationFn: async (body: SetupRequest) => enter(await take(api.POST('/api/v1/setup', { body }))),
    onSuccess: onDone,
  });
  const fields = join.error instanceof ApiError ? join.error.fields : {};
  const placed = ['name', 'full_name', 'password'].some((field) => fields[field]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    join.mutate({ code, name: info.name == null ? name.trim() : null, full_name: fullName, password });
  };
  return (
    <Stack component="form" onSubmit={submit}>
      {info.name == null && (
        <Text size="sm" c="dimmed">
          You are invited as {info.role === 'guest' ? 'a guest, who sees what the team runs' : `a ${info.role}`}
          {(info.groups ?? []).length > 0 && `, in ${(info.groups ?? []).join(', ')}`}. Choose a name and a password.
        </Text>
      )}
      <TextInput
        label="Name"
        description={
          info.name == null
            ? 'Small letters, digits, . _ and -. It cannot be changed later.'
            : 'The name that the jobs so far belong to'
        }
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        readOnly={info.name != null}
        autoFocus={info.name == null}
        value={name}
        error={fields.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Full name"
        autoComplete="name"
        maxLength={200}
        autoFocus={info.name != null}
        value={fullName}
        error={fields.full_name}
        onChange={(event) => setFullName(event.currentTarget.value)}
      />
      <NewPassword value={password} again={again} error={fields.password} onChange={setPassword} onAgain={setAgain} />
      {join.error && !placed && <ErrorPanel error={join.error} />}
      <Button type="submit" loading={join.isPending} disabled={!name.trim() || !isUsable(password, again)}>
        {info.name == null ? 'Join' : 'Next'}
      </Button>
    </Stack>
  );
}
