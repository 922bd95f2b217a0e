import { MultiSelect, PasswordInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useAddAccount, useEditAccount, useGroups } from '../../api/people';
import type { Account, AccountRequest, Role, SignInSource } from '../../api/types';
import { SHORTEST } from '../../lib/password';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { done } from '../../parts/notify';
import { SOURCES } from './peopleLib';
import { RoleSelect } from './RoleSelect';

interface Draft {
  fullName: string;
  email: string;
  role: Role;
  unixName: string;
  groups: string[];
}

const NOBODY: Draft = { fullName: '', email: '', role: 'user', unixName: '', groups: [] };

interface FieldsProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

const given = (act: (text: string) => void) => (event: ChangeEvent<HTMLInputElement>) => act(event.currentTarget.value);

/** What can be changed of an account. */
function Fields({ draft, set }: FieldsProps) {
  const groups = useGroups();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TextInput
        label="Full name"
        maxLength={200}
        value={draft.fullName}
        onChange={given((fullName) => set({ fullName }))}
      />
      <TextInput label="E-mail" maxLength={200} value={draft.email} onChange={given((email) => set({ email }))} />
      <RoleSelect value={draft.role} onChange={(role) => set({ role })} />
      <TextInput
        label="Unix name"
        placeholder="None"
        maxLength={64}
        value={draft.unixName}
        onChange={given((unixName) => set({ unixName }))}
      />
      <MultiSelect
        label="Groups"
        placeholder={draft.groups.length ? '' : 'None'}
        data={[...new Set([...(groups.data ?? []).map(({ name }) => name), ...draft.groups])]}
        value={draft.groups}
        onChange={(chosen) => set({ groups: chosen })}
      />
    </SimpleGrid>
  );
}

function sent({ fullName, email, role, unixName, groups }: Draft) {
  return { full_name: fullName.trim(), email: email.trim(), role, unix_name: unixName.trim() || null, groups };
}

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export function AddAccount(props: DialogProps) {
  return <Adding key={String(props.opened)} {...props} />;
}

function Adding({ opened, onClose }: DialogProps) {
  const [draft, setDraft] = useState(NOBODY);
  const [name, setName] = useState('');
  const [source, setSource] = useState<SignInSource>('password');
  const [password, setPassword] = useState('');
  const add = useAddAccount();
  const confirm = async () => {
    const body: AccountRequest = { ...sent(draft), name: name.trim(), source };
    await add.mutateAsync(source === 'password' && password ? { ...body, password } : body);
    done(`${name.trim()} has an account`);
  };
  return (
    <ConfirmModal
      opened={opened}
      title="Add an account"
      action="Add"
      fields
      ready={name.trim() !== ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Small letters, digits, . _ and -. It cannot be changed later."
          maxLength={64}
          data-autofocus
          value={name}
          onChange={given(setName)}
        />
        <Fields draft={draft} set={(changes) => setDraft({ ...draft, ...changes })} />
        <Select
          label="Signs in by"
          allowDeselect={false}
          data={Object.entries(SOURCES).map(([value, label]) => ({ value, label }))}
          value={source}
          onChange={(chosen) => chosen && setSource(chosen as SignInSource)}
        />
        {source === 'password' && (
          <PasswordInput
            label="First password"
            description={`At least ${SHORTEST} characters. Better: leave it empty, and invite the person by a link.`}
            autoComplete="new-password"
            maxLength={1000}
            value={password}
            onChange={given(setPassword)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          />
        )}
      </Stack>
    </ConfirmModal>
  );
}

interface EditProps extends DialogProps {
  account: Account;
}

/** Begins with the account as it is when the dialog opens. */
export function EditAccount(props: EditProps) {
  return <Editing key={String(props.opened)} {...props} />;
}

function Editing({ account, opened, onClose }: EditProps) {
  const [draft, setDraft] = useState<Draft>({
    fullName: account.full_name ?? '',
    email: account.email ?? '',
    role: account.role,
    unixName: account.unix_name ?? '',
    groups: account.groups ?? [],
  });
  const edit = useEditAccount(account.name);
  return (
    <ConfirmModal
      opened={opened}
      title={`Edit ${account.name}`}
      action="Save"
      fields
      onClose={onClose}
      onConfirm={() => edit.mutateAsync(sent(draft))}
    >
      <Fields draft={draft} set={(changes) => setDraft({ ...draft, ...changes })} />
    </ConfirmModal>
  );
}
