import { ActionIcon, Button, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../api/me';
import { useAccounts, useGroups } from '../../api/people';
import { useQuotaLeft, useQuotas, useRemoveQuota, useSetQuota } from '../../api/rules';
import type { Quota, QuotaRequest } from '../../api/types';
import { CardTable } from '../../parts/CardTable';
import { ConfirmModal } from '../../parts/ConfirmModal';
import { EmptyState } from '../../parts/EmptyState';
import { IconClock, IconEdit, IconPlus, IconTrash } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './Rules.module.css';
import { LIMIT_NAMES, LIMITS, leftText, limitText, whose } from './rulesLib';

export function QuotasTab() {
  const quotas = useQuotas();
  const admin = useMe().role === 'admin';
  const [adding, setAdding] = useState(false);
  return (
    <Loaded query={quotas} what="list of quotas">
      {(all) => (
        <>
          <div className={styles.bar}>
            <Text size="sm" c="dimmed" maw={620}>
              A quota limits each person by themselves; of several that apply, the strictest counts. Weeks begin on
              Monday. Reservations that begin soon do not count for GPUs at once.
            </Text>
            {admin && (
              <Button leftSection={<IconPlus />} onClick={() => setAdding(true)}>
                Set a quota
              </Button>
            )}
          </div>
          <Left />
          {all.length === 0 ? (
            <EmptyState icon={IconClock} title="There are no quotas">
              Nothing limits how much may be reserved.
            </EmptyState>
          ) : (
            <CardTable
              label="Quotas"
              columns={['Whose', ...LIMIT_NAMES.map((name) => LIMITS[name].name), ...(admin ? [''] : [])]}
            >
              {all.map((quota) => (
                <tr key={quota.id}>
                  <td data-wide>
                    <strong>{whose(quota)}</strong>
                  </td>
                  {LIMIT_NAMES.map((name) => (
                    <td key={name} data-label={LIMITS[name].name}>
                      {limitText(quota, name)}
                    </td>
                  ))}
                  {admin && <Acts quota={quota} />}
                </tr>
              ))}
            </CardTable>
          )}
          {admin && <QuotaDialog opened={adding} onClose={() => setAdding(false)} />}
        </>
      )}
    </Loaded>
  );
}

/** What is left of one's own. */
function Left() {
  const left = useQuotaLeft();
  if (!left.data?.length) return null;
  return (
    <section className={`app-panel ${styles.left}`} aria-label="Left to you">
      {left.data.map((one) => (
        <span key={`${one.field} ${one.quota}`}>{leftText(one)}</span>
      ))}
    </section>
  );
}

function Acts({ quota }: { quota: Quota }) {
  const [dialog, setDialog] = useState<'edit' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const remove = useRemoveQuota();
  const name = whose(quota);
  return (
    <td className="app-acts" data-wide>
      <ActionIcon aria-label={`Edit the quota of ${name}`} onClick={() => setDialog('edit')}>
        <IconEdit />
      </ActionIcon>
      <ActionIcon aria-label={`Remove the quota of ${name}`} onClick={() => setDialog('remove')}>
        <IconTrash />
      </ActionIcon>
      <QuotaDialog quota={quota} opened={dialog === 'edit'} onClose={close} />
      <ConfirmModal
        opened={dialog === 'remove'}
        title={`Remove the quota of ${name}?`}
        action="Remove quota"
        danger
        onClose={close}
        onConfirm={() => remove.mutateAsync(quota.id)}
      >
        <Text size="sm">Other quotas that apply stay.</Text>
      </ConfirmModal>
    </td>
  );
}

interface DialogProps {
  /** None: a new one. */
  quota?: Quota;
  opened: boolean;
  onClose: () => void;
}

function QuotaDialog(props: DialogProps) {
  return <QuotaForm key={String(props.opened)} {...props} />;
}

type Kind = QuotaRequest['kind'];
const KINDS: { value: Kind; label: string }[] = [
  { value: 'everyone', label: 'Everyone' },
  { value: 'group', label: 'Each member of a group' },
  { value: 'account', label: 'One person' },
];

function QuotaForm({ quota, opened, onClose }: DialogProps) {
  const [kind, setKind] = useState<Kind>(quota?.kind ?? 'everyone');
  const [subject, setSubject] = useState(quota?.subject ?? '');
  const [limits, setLimits] = useState<Record<string, number | null>>(
    Object.fromEntries(LIMIT_NAMES.map((name) => [name, quota?.[name] ?? null])),
  );
  const save = useSetQuota();
  const given = LIMIT_NAMES.some((name) => name !== 'near_hours' && limits[name] != null);
  const confirm = () => {
    const near = limits.devices_at_once == null ? { near_hours: null } : {};
    return save.mutateAsync({ kind, subject: kind === 'everyone' ? '' : subject, ...limits, ...near });
  };
  return (
    <ConfirmModal
      opened={opened}
      title={quota ? `Edit the quota of ${whose(quota)}` : 'Set a quota'}
      action="Save"
      fields
      ready={given && (kind === 'everyone' || subject !== '')}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        {!quota && <Whose kind={kind} setKind={setKind} subject={subject} setSubject={setSubject} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {LIMIT_NAMES.map((name) => (
            <NumberInput
              key={name}
              label={LIMITS[name].name}
              placeholder={name === 'near_hours' ? 'All count' : 'No limit'}
              min={0}
              allowDecimal={!LIMITS[name].whole}
              disabled={name === 'near_hours' && limits.devices_at_once == null}
              value={limits[name] ?? ''}
              onChange={(value) => setLimits({ ...limits, [name]: value === '' ? null : Number(value) })}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </ConfirmModal>
  );
}

interface WhoseProps {
  kind: Kind;
  setKind: (kind: Kind) => void;
  subject: string;
  setSubject: (subject: string) => void;
}

function Whose({ kind, setKind, subject, setSubject }: WhoseProps) {
  const accounts = useAccounts();
  const groups = useGroups();
  const names = (kind === 'group' ? groups.data : accounts.data) ?? [];
  return (
    <>
      <Select
        label="Whose"
        allowDeselect={false}
        data={KINDS}
        value={kind}
        onChange={(chosen) => {
          setKind((chosen ?? 'everyone') as Kind);
          setSubject('');
        }}
      />
      {kind !== 'everyone' && (
        <Select
          label={kind === 'group' ? 'Group' : 'Person'}
          searchable
          data={names.map(({ name }) => name)}
          value={subject || null}
          onChange={(chosen) => setSubject(chosen ?? '')}
        />
      )}
    </>
  );
}
