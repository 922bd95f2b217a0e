import { useEffect } from 'react';
import { leftOut } from '../../api/submissions';
import { fromDrop, type Taken } from '../../lib/files';
import { failed } from '../../parts/notify';

/** A file that misses the marked place must not make the browser leave the page for it. */
export function useDropAnywhere(onFiles: (taken: Taken) => void): void {
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented || !event.dataTransfer) return;
      event.preventDefault();
      fromDrop(event.dataTransfer, leftOut).then((taken) => taken.files.length && onFiles(taken), failed);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [onFiles]);
}
