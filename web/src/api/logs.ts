/** What tasks print. */

import { request } from './client';

export interface LogPart {
  text: string;
  /** Bytes of the log: where this part begins and ends, and how large the log is. */
  start: number;
  end: number;
  size: number;
}

function logQuery(attempt: number | undefined, offset: number): string {
  return `?offset=${offset}${attempt ? `&attempt=${attempt}` : ''}`;
}

/** A range of a log; a negative offset counts from its end. */
export async function readLog(
  task: string,
  { attempt, offset, limit = 1_000_000 }: { attempt?: number; offset: number; limit?: number },
  signal?: AbortSignal,
): Promise<LogPart> {
  const url = `/api/v1/tasks/${encodeURIComponent(task)}/log${logQuery(attempt, offset)}&limit=${limit}`;
  const response = await request(url, { signal });
  const data = await response.arrayBuffer();
  const start = Number(response.headers.get('X-Log-Start') ?? 0);
  return {
    text: new TextDecoder().decode(data),
    start,
    end: start + data.byteLength,
    size: Number(response.headers.get('X-Log-Size') ?? data.byteLength),
  };
}

/** The text that is added to a log from `offset` on; ends when the attempt has ended. */
export async function* followLog(
  task: string,
  { attempt, offset }: { attempt?: number; offset: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const url = `/api/v1/tasks/${encodeURIComponent(task)}/log/follow${logQuery(attempt, offset)}`;
  const reader = (await request(url, { signal })).body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
