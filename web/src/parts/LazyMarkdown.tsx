import { lazy, Suspense } from 'react';

const Markdown = lazy(() => import('./Markdown'));

/** A text in Markdown; as it was written until the reader of Markdown is there. */
export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div style={{ whiteSpace: 'pre-line' }}>{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
}
