import { Button, Group, MultiSelect, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useGroups, useInvite } from '../../api/people';
import type { Role } from '../../api/types';
import { CopyLine } from '../../parts/CopyLine';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconLink } from '../../parts/icons';
import { RoleSelect } from './RoleSelect';

/** Makes a link by which one person may join. */
export function InvitePeople() {
  const [role, setRole] = useState<Role>('user');
  const [groups, setGroups] = useState<string[]>([]);
  const [email, setEmail] = useState('');
  const [days, setDays] = useState<number | string>(7);
  const known = useGroups();
  const invite = useInvite();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ role, groups, email: email.trim(), days: Number(days) || 7 });
  };
  const link = invite.data?.link;
  return (
    <Stack gap="sm">
      <Stack component="form" gap="sm" onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <RoleSelect value={role} onChange={setRole} />
          <NumberInput label="Valid for (days)" min={1} max={90} allowDecimal={false} value={days} onChange={setDays} />
          <MultiSelect
            label="Groups"
            placeholder={groups.length ? '' : 'None'}
            data={(known.data ?? []).map(({ name }) => name)}
            value={groups}
            onChange={setGroups}
            nothingFoundMessage="No such group"
          />
          <TextInput
            label="E-mail"
            description="For your list; nothing is sent"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={200}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </SimpleGrid>
        {invite.error && <ErrorPanel error={invite.error} />}
        <Group>
          <Button type="submit" variant="default" leftSection={<IconLink />} loading={invite.isPending}>
            Make a link
          </Button>
        </Group>
      </Stack>
      {link && (
        <div role="status">
          <Text size="sm" mb={4}>
            Send this link to one person. It is shown only now, and works once.
          </Text>
          <CopyLine text={link} label="Copy the link" />
        </div>
      )}
    </Stack>
  );
}
