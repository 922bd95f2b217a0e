import { ActionIcon, Button, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccounts, useAddGroup, useEditGroup, useGroups, useRemoveGroup } from '../../api/people';
import type { AccountGroup } from '../../api/types';
import { CardTable } from '../../parts/CardTable';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { EmptyState } from '../../parts/EmptyState';
import { IconEdit, IconPlus, IconTrash, IconUsers } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './People.module.css';

export function GroupsTab() {
  const groups = useGroups();
  const [adding, setAdding] = useState(false);
  return (
    <Loaded query={groups} what="list of groups">
      {(all) => (
        <>
          <div className={styles.bar}>
            <Text size="sm" c="dimmed">
              Groups of a directory are kept as the directory has them.
            </Text>
            <Button leftSection={<IconPlus />} onClick={() => setAdding(true)}>
              Add a group
            </Button>
          </div>
          {all.length === 0 ? (
            <EmptyState icon={IconUsers} title="There are no groups yet">
              A group is a name for several people, such as the students of a course.
            </EmptyState>
          ) : (
            <GroupTable groups={all} />
          )}
          <GroupDialog opened={adding} onClose={() => setAdding(false)} />
        </>
      )}
    </Loaded>
  );
}

const COLUMNS = ['Name', 'Members', 'From', ''];

function GroupTable({ groups }: { groups: AccountGroup[] }) {
  return (
    <CardTable label="Groups" columns={COLUMNS}>
      {groups.map((group) => (
        <Row key={group.name} group={group} />
      ))}
    </CardTable>
  );
}

function Row({ group }: { group: AccountGroup }) {
  const { name, description, members = [], source = 'local' } = group;
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const remove = useRemoveGroup();
  return (
    <tr>
      <td data-wide className="app-wrap-anywhere">
        <strong>{name}</strong>
        {description && (
          <div>
            <small>{description}</small>
          </div>
        )}
      </td>
      <td data-label="Members" className="app-wrap-anywhere">
        {members.join(', ') || 'nobody'}
      </td>
      <td data-label="From">{source === 'local' ? 'here' : source}</td>
      <td className="app-acts" data-wide>
        {source === 'local' && (
          <ActionIcon aria-label={`Edit ${name}`} onClick={() => setEditing(true)}>
            <IconEdit />
          </ActionIcon>
        )}
        <ActionIcon aria-label={`Remove ${name}`} onClick={() => setAsking(true)}>
          <IconTrash />
        </ActionIcon>
        <GroupDialog group={group} opened={editing} onClose={() => setEditing(false)} />
        <ConfirmModal
          opened={asking}
          title={`Remove ${name}?`}
          action="Remove group"
          danger
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutateAsync(name)}
        >
          <Text size="sm">Its members keep their accounts.</Text>
        </ConfirmModal>
      </td>
    </tr>
  );
}

interface DialogProps {
  /** None: a new one. */
  group?: AccountGroup;
  opened: boolean;
  onClose: () => void;
}

function GroupDialog(props: DialogProps) {
  return <GroupForm key={String(props.opened)} {...props} />;
}

function GroupForm({ group, opened, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState(group?.description ?? '');
  const [members, setMembers] = useState(group?.members ?? []);
  const accounts = useAccounts(opened);
  const add = useAddGroup();
  const edit = useEditGroup(group?.name ?? '');
  const confirm = () =>
    group ? edit.mutateAsync({ description, members }) : add.mutateAsync({ name: name.trim(), description, members });
  return (
    <ConfirmModal
      opened={opened}
      title={group ? `Edit ${group.name}` : 'Add a group'}
      action={group ? 'Save' : 'Add'}
      fields
      ready={group !== undefined || name.trim() !== ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        {!group && (
          <TextInput
            label="Name"
            description="Small letters, digits, . _ and -"
            maxLength={64}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <TextInput
          label="Description"
          maxLength={2000}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <MultiSelect
          label="Members"
          searchable
          data={(accounts.data ?? []).map(({ name: value }) => value)}
          value={members}
          onChange={setMembers}
          nothingFoundMessage="Nobody of that name"
        />
      </Stack>
    </ConfirmModal>
  );
}
