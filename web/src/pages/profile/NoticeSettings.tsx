import { ActionIcon, Button, Checkbox, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChooseNotices, useNoticeChoices, useTryNotices } from '../../api/notices';
import type { ChoicesRequest, NoticeChoices, NoticeKind } from '../../api/types';
import { NOTICE_KINDS, withKind } from '../../lib/notices';
import { errorText } from '../../parts/ErrorPanel';
import { IconTrash } from '../../parts/icons';
import { done, failed } from '../../parts/notify';
import { Loaded } from '../../parts/Page';
import styles from './NoticeSettings.module.css';
import { Panel } from './Panel';

/** What one wants to be told outside the page, and where: a table that is saved as it is changed. */
export function NoticeSettings() {
  const choices = useNoticeChoices();
  return (
    <Panel title="Notices">
      <Text size="sm" c="dimmed" mb="sm">
        The bell shows all of them. Here you choose what you also get by mail or in a chat; <code>--notify</code>{' '}
        chooses for one job.
      </Text>
      <Loaded query={choices} what="choice">
        {(chosen) => <Choice chosen={chosen} />}
      </Loaded>
    </Panel>
  );
}

function asRequest({ mail = [], addresses = [] }: NoticeChoices): ChoicesRequest {
  return { mail, addresses: addresses.map(({ id, kinds }) => ({ id, kinds })) };
}

function Choice({ chosen }: { chosen: NoticeChoices }) {
  const choose = useChooseNotices();
  const { mail = [], mail_to: to, mail_why: why, addresses = [], others = 0 } = chosen;
  const now = asRequest(chosen);
  const save = (change: Partial<ChoicesRequest>) => choose.mutate({ ...now, ...change }, { onError: failed });
  const setKinds = (id: string, kinds: NoticeKind[]) =>
    save({ addresses: now.addresses?.map((one) => (one.id === id ? { ...one, kinds } : one)) });
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Where</th>
            {NOTICE_KINDS.map(({ kind, label }) => (
              <th key={kind} scope="col">
                {label}
              </th>
            ))}
            <th scope="col" aria-label="Actions" />
          </tr>
        </thead>
        <tbody>
          {(to || chosen.schemes) && (
            <Row
              id="mail"
              name="Mail"
              about={to ?? why ?? ''}
              problem={chosen.mail_problem}
              kinds={mail}
              disabled={!to}
              onKinds={(kinds) => save({ mail: kinds })}
            />
          )}
          {addresses.map(({ id, shown, kinds, problem }) => (
            <Row
              key={id}
              id={id}
              name={shown}
              problem={problem}
              kinds={kinds}
              onKinds={(wanted) => setKinds(id, wanted)}
              onRemove={() => save({ addresses: now.addresses?.filter((one) => one.id !== id) })}
            />
          ))}
        </tbody>
      </table>
      {others > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          All of them also go to what <code>notify.urls</code> names in the settings of the server.
        </Text>
      )}
      <AddAddress chosen={chosen} />
    </>
  );
}

interface RowProps {
  id: string;
  name: string;
  about?: string;
  problem?: string | null;
  kinds: readonly NoticeKind[];
  disabled?: boolean;
  onKinds: (kinds: NoticeKind[]) => void;
  onRemove?: () => void;
}

function Row({ id, name, about, problem, kinds, disabled = false, onKinds, onRemove }: RowProps) {
  const attempt = useTryNotices();
  const send = () =>
    attempt.mutate(id, {
      onSuccess: ({ sent, problem: why }) =>
        sent
          ? done(`A message is on its way to ${name}`)
          : failed(new Error(`${name}: ${why ?? 'it was not accepted'}`)),
      onError: failed,
    });
  return (
    <tr>
      <th scope="row" className="app-wrap-anywhere">
        {name}
        {about && <small>{about}</small>}
        {problem && <small className={styles.problem}>The last one was not sent: {problem}</small>}
      </th>
      {NOTICE_KINDS.map(({ kind, label }) => (
        <td key={kind} data-label={label}>
          <Checkbox
            aria-label={`${label}: ${name}`}
            disabled={disabled}
            checked={kinds.includes(kind)}
            onChange={(event) => onKinds(withKind(kinds, kind, event.currentTarget.checked))}
          />
        </td>
      ))}
      <td>
        <div className={styles.acts}>
          <Button size="compact-sm" variant="default" disabled={disabled} loading={attempt.isPending} onClick={send}>
            Try
          </Button>
          {onRemove && (
            <Tooltip label={`Remove ${name}`}>
              <ActionIcon aria-label={`Remove ${name}`} onClick={onRemove}>
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      </td>
    </tr>
  );
}

function AddAddress({ chosen }: { chosen: NoticeChoices }) {
  const [url, setUrl] = useState('');
  const choose = useChooseNotices();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const { mail, addresses = [] } = asRequest(chosen);
    const kinds = NOTICE_KINDS.map(({ kind }) => kind);
    choose.mutate({ mail, addresses: [...addresses, { url: url.trim(), kinds }] }, { onSuccess: () => setUrl('') });
  };
  const schemes = chosen.schemes?.map((one) => `${one}://`).join(', ');
  return (
    <form onSubmit={add}>
      <Group mt="sm" align="flex-start" gap="sm">
        <TextInput
          style={{ flex: 1, minWidth: 220 }}
          label="Another address"
          description={
            schemes ? `It begins with ${schemes}` : 'As apprise writes it: ntfys://…, slack://…, mailtos://…, json://…'
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="ntfys://ntfy.sh/my-topic"
          maxLength={1000}
          value={url}
          error={choose.error && errorText(choose.error)}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Button mt={24} type="submit" variant="default" loading={choose.isPending} disabled={!url.trim()}>
          Add
        </Button>
      </Group>
    </form>
  );
}
