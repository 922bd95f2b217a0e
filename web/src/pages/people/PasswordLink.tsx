import { Button, Modal, Stack, Text } from '@mantine/core';
import { useInvite } from '../../api/people';
import { CopyLine } from '../../parts/CopyLine';
import { ErrorPanel } from '../../parts/ErrorPanel';

interface Props {
  name: string;
  opened: boolean;
  onClose: () => void;
}

/** A link by which somebody chooses a new password: nobody else ever knows it. */
export function PasswordLink({ name, opened, onClose }: Props) {
  const invite = useInvite();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`New password for ${name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {invite.data?.link ? (
          <>
            <Text size="sm">Send this link to {name}. It is shown only now, and works once within two days.</Text>
            <CopyLine text={invite.data.link} label="Copy the link" />
          </>
        ) : (
          <>
            <Text size="sm">
              This makes a link by which {name} chooses a new password. Until then, the old one stays valid.
            </Text>
            <Button loading={invite.isPending} onClick={() => invite.mutate({ name, days: 2 })}>
              Make a link
            </Button>
          </>
        )}
        {invite.error && <ErrorPanel error={invite.error} />}
      </Stack>
    </Modal>
  );
}
