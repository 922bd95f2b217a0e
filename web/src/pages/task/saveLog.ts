import { request } from '../../api/client';
import { save } from '../../lib/download';

const PART = 20_000_000;

/** The whole log as a file, byte for byte. */
export async function saveLog(task: string, attempt: number): Promise<void> {
  const parts: ArrayBuffer[] = [];
  for (let offset = 0; ; ) {
    const url = `/api/v1/tasks/${encodeURIComponent(task)}/log?attempt=${attempt}&offset=${offset}&limit=${PART}`;
    const data = await (await request(url)).arrayBuffer();
    parts.push(data);
    offset += data.byteLength;
    if (data.byteLength < PART) break;
  }
  save(new Blob(parts, { type: 'text/plain;charset=utf-8' }), `${task}-attempt-${attempt}.log`);
}
