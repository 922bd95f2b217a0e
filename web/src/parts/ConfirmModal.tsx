import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorPanel } from './ErrorPanel';

interface Props {
  opened: boolean;
  title: string;
  /** What will happen, and what is lost. */
  children: ReactNode;
  /** The verb on the button: `Remove job`. */
  action: string;
  danger?: boolean;
  /** There is something to fill in: it has the focus, not Cancel. */
  fields?: boolean;
  /** What is filled in is enough. */
  ready?: boolean;
  /** How wide it is, in pixels, where there is room. */
  size?: number;
  onClose: () => void;
  /** The modal closes when it is done, and shows what went wrong when it fails. */
  onConfirm: () => Promise<unknown> | unknown;
}

export function ConfirmModal(props: Props) {
  const { opened, title, children, action, danger = false, fields = false, ready = true, onClose, onConfirm } = props;
  const size = props.size ? { size: props.size } : {};
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={title} {...size} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack component="form" onSubmit={confirm}>
        <div>{children}</div>
        {error !== null && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus={!fields || undefined}>
            Cancel
          </Button>
          <Button color={danger ? 'red.8' : undefined} type="submit" loading={busy} disabled={!ready}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
