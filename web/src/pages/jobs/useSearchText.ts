import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const PAUSE_MS = 200;

/** The text of a search field: what is typed at once, the address after a pause; a change of the address wins. */
export function useSearchText(inUrl: string, toUrl: (text: string) => void) {
  const [text, setText] = useState(inUrl);
  const [seen, setSeen] = useState(inUrl);
  const [sent, setSent] = useState(inUrl);
  if (inUrl !== seen) {
    setSeen(inUrl);
    if (inUrl !== sent) {
      setSent(inUrl);
      setText(inUrl);
    }
  }
  const send = useDebouncedCallback((next: string) => {
    setSent(next);
    toUrl(next);
  }, PAUSE_MS);
  const change = (next: string) => {
    setText(next);
    send(next);
  };
  return [text, change] as const;
}
