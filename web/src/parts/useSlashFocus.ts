import { useEffect } from 'react';

/** `/` goes to the first search field of the page: an input with `data-search`, else any of type search. */
export function useSlashFocus(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement | null)?.closest('input, textarea, select, [contenteditable=true]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      const field =
        document.querySelector<HTMLInputElement>('input[data-search]') ??
        document.querySelector<HTMLInputElement>('input[type=search]');
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
