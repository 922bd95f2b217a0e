import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCopy, IconTick } from './icons';

/** Copies a text and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const copy = () => (navigator.clipboard ? clipboard.copy(text) : copyOldWay(text));
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label}>
      <ActionIcon size="sm" aria-label={label} onClick={copy}>
        {clipboard.copied ? <IconTick size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The clipboard is only there on https and localhost; clusters are often neither. */
function copyOldWay(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
