import { useEffect, useRef } from 'react';
import { useNotices } from '../api/notices';
import { tell } from './notify';

/** Shows notices that come while the page is open. The server decides what is one; the bell has them all. */
export function NewNotices() {
  const { data } = useNotices();
  const last = useRef<number | null>(null);
  useEffect(() => {
    if (!data) return;
    const known = last.current;
    const newest = data.items[0]?.id ?? 0;
    last.current = Math.max(known ?? 0, newest);
    if (known === null) return; // what was there before is no news
    const fresh = data.items.filter(({ id, read_at: read }) => id > known && !read).reverse();
    for (const { title, text = '' } of fresh.slice(-3)) tell(title, text);
  }, [data]);
  return null;
}
