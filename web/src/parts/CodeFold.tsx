import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import styles from './CodeFold.module.css';
import { CopyButton } from './CopyButton';
import { IconChevronDown, IconChevronRight } from './icons';

interface Props {
  /** `The batch script` */
  title: string;
  text: string;
  copyLabel: string;
}

/** A text of many lines, folded away until somebody wants to read it; it can be copied either way. */
export function CodeFold({ title, text, copyLabel }: Props) {
  const [open, { toggle }] = useDisclosure(false);
  const id = useId();
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <div className={styles.head}>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon size={14} />}
          onClick={toggle}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
        >
          {title}
        </Button>
        <CopyButton text={text} label={copyLabel} />
      </div>
      <Collapse expanded={open} keepMounted={false}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section id={id} className={styles.code} tabIndex={0} aria-label={title}>
          <pre>{text}</pre>
        </section>
      </Collapse>
    </div>
  );
}
