import { ActionIcon, Badge, Button, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import { useRemoveRule, useRules, useSaveRule } from '../../api/rules';
import type { AccessRule } from '../../api/types';
import { CardTable } from '../../parts/CardTable';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { EmptyState } from '../../parts/EmptyState';
import { IconEdit, IconLock, IconPlus, IconTrash } from '../../parts/icons';
import { failed } from '../../parts/notify';
import { Loaded } from '../../parts/Page';
import { RuleDialog } from './RuleDialog';
import styles from './Rules.module.css';
import { requestOf } from './rulesLib';

export function RulesTab() {
  const rules = useRules();
  const admin = useMe().role === 'admin';
  const [adding, setAdding] = useState(false);
  return (
    <Loaded query={rules} what="list of rules">
      {(all) => (
        <>
          <div className={styles.bar}>
            <Text size="sm" c="dimmed" maw={620}>
              {admin
                ? 'What one rule denies, no other allows. Rules do not bind admins. Where no rule speaks, the setting team.access decides.'
                : 'The rules that are about you. A reservation must be allowed from its beginning to its end.'}
            </Text>
            {admin && (
              <Button leftSection={<IconPlus />} onClick={() => setAdding(true)}>
                Add a rule
              </Button>
            )}
          </div>
          {all.length === 0 ? (
            <EmptyState icon={IconLock} title="There are no rules">
              A rule allows or denies people to reserve GPUs, or to run jobs on them, at some hours of the week.
            </EmptyState>
          ) : (
            <CardTable label="Rules" columns={admin ? ['Rule', 'Effect', 'On', ''] : ['Rule', 'Effect']}>
              {all.map((rule) => (
                <Row key={rule.id} rule={rule} admin={admin} />
              ))}
            </CardTable>
          )}
          {admin && <RuleDialog opened={adding} onClose={() => setAdding(false)} />}
        </>
      )}
    </Loaded>
  );
}

function Row({ rule, admin }: { rule: AccessRule; admin: boolean }) {
  const { name, sentence, effect, active = true } = rule;
  return (
    <tr className={active ? undefined : styles.off}>
      <td data-wide className="app-wrap-anywhere">
        <strong>{name}</strong>
        <div>{sentence}</div>
      </td>
      <td data-label="Effect">
        <Badge variant="light" tt="none" color={effect === 'deny' ? 'red' : 'green'}>
          {effect === 'deny' ? 'denies' : 'allows'}
        </Badge>
      </td>
      {admin && <ForAdmins rule={rule} />}
    </tr>
  );
}

function ForAdmins({ rule }: { rule: AccessRule }) {
  const { id, name, active = true } = rule;
  const [dialog, setDialog] = useState<'edit' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const save = useSaveRule();
  const remove = useRemoveRule();
  const turn = (on: boolean) => save.mutate({ id, body: { ...requestOf(rule), active: on } }, { onError: failed });
  return (
    <>
      <td data-label="On">
        <Switch
          aria-label={`${name} is on`}
          checked={active}
          disabled={save.isPending}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </td>
      <td className="app-acts" data-wide>
        <ActionIcon aria-label={`Edit ${name}`} onClick={() => setDialog('edit')}>
          <IconEdit />
        </ActionIcon>
        <ActionIcon aria-label={`Remove ${name}`} onClick={() => setDialog('remove')}>
          <IconTrash />
        </ActionIcon>
        <RuleDialog rule={rule} opened={dialog === 'edit'} onClose={close} />
        <ConfirmModal
          opened={dialog === 'remove'}
          title={`Remove ${name}?`}
          action="Remove rule"
          danger
          onClose={close}
          onConfirm={() => remove.mutateAsync(id)}
        >
          <Text size="sm">{rule.sentence}: this no longer holds from now on.</Text>
        </ConfirmModal>
      </td>
    </>
  );
}
