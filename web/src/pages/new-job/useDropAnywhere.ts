import { useEffect } from 'react';
import { type ChosenFile, fromDrop } from '../../lib/files';

/** A file that misses the marked place must not make the browser leave the page for it. */
export function useDropAnywhere(onFiles: (files: ChosenFile[]) => void): void {
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = async (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented || !event.dataTransfer) return;
      event.preventDefault();
      const files = await fromDrop(event.dataTransfer);
      if (files.length) onFiles(files);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [onFiles]);
}
