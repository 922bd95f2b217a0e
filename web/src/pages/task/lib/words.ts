/** Causes and signals in words. The server decides which cause it is. */

import type { Cause } from '../../../api/types';

interface Words {
  title: string;
  /** What a person may do about it. */
  hint: string;
}

const CAUSES: Record<Cause, Words> = {
  user_error: {
    title: 'The script failed',
    hint: 'Correct the script and submit it again: a restart runs the same code.',
  },
  gpu_oom: {
    title: 'The GPU ran out of memory',
    hint: 'Use a smaller batch size or a smaller model.',
  },
  host_oom: {
    title: 'The node ran out of memory',
    hint: 'Use fewer data loader workers, a smaller batch or fewer tasks at a time.',
  },
  time_limit: {
    title: 'The time limit was reached',
    hint: 'Restart with resume to continue from the last checkpoint, if the script writes one.',
  },
  node_failure: {
    title: 'The node failed',
    hint: 'Nothing is wrong with the script. Restart with resume to continue from the last checkpoint.',
  },
  preempted: {
    title: 'It was preempted',
    hint: 'Nothing is wrong with the script. Restart with resume to continue from the last checkpoint.',
  },
  yielded: {
    title: 'It made room for others',
    hint: 'Nothing is wrong with the script. It goes on from its checkpoint by itself.',
  },
  resized: {
    title: 'It was resized',
    hint: 'Its next attempt continues from the checkpoint with another number of GPUs.',
  },
  launch_failed: {
    title: 'It could not be started',
    hint: 'Check the environment of the job: interpreter, set-up lines and files.',
  },
  lost: {
    title: 'The task was lost',
    hint: 'Its runner stopped reporting: it was killed, or the node went down. Restart with resume to continue from the last checkpoint.',
  },
};

/** Of a map: its files are read where they lie, its command is as it was. */
const COMMAND_FAILED: Words = {
  title: 'The command failed',
  hint: 'Correct the file and restart with resume; or correct the command and call paddock map again, which does what is left.',
};

export function causeWords(cause: Cause | null | undefined, mapped = false): Words {
  if (mapped && cause === 'user_error') return COMMAND_FAILED;
  return (cause && CAUSES[cause]) || { title: 'The task failed', hint: '' };
}

const SIGNALS: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
};

export function signalName(signal: number): string {
  return SIGNALS[signal] ?? `signal ${signal}`;
}
