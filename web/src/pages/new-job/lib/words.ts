/** What the server's short names mean to a person. */

import type { Cause, Convention, ScriptParam } from '../../../api/types';
import { valueText } from '../../../lib/params';

export const CONVENTIONS: Record<Convention, string> = {
  auto: 'As the script takes them',
  flags: 'Flags: --name value',
  positional: 'Positional arguments',
  stfmanager: 'Positional, as S-TFManager does',
  overrides: 'Overrides: name=value',
  config: 'In a copy of the configuration file',
  constants: 'Constants, in a copy of the script',
  env: 'Environment variables',
};

const PASSED: Record<string, string> = {
  flags: 'as flags',
  positional: 'as positional arguments',
  stfmanager: 'as positional arguments, the way of S-TFManager',
  overrides: 'as name=value',
  config: 'in a copy of the configuration file',
  constants: 'in a copy of the script, as constants at its top',
  env: 'as environment variables',
};

export function passed(convention: string): string {
  return PASSED[convention] ?? `as ${convention}`;
}

const SOURCES: Record<string, string> = {
  csv: 'CSV files',
  json: 'JSON files',
  jsonl: 'JSON lines',
  tensorboard: 'TensorBoard files',
  stdout: 'printed lines',
  report: 'paddock.report()',
  keras: 'Keras’ printed progress',
};

export function sourceText(source: string): string {
  return SOURCES[source] ?? source;
}

// Of failures: a resize counts no retry.
export const CAUSES: Record<Exclude<Cause, 'resized'>, string> = {
  user_error: 'The script failed',
  gpu_oom: 'Out of GPU memory',
  host_oom: 'Out of memory',
  time_limit: 'Time limit',
  node_failure: 'The node went down',
  preempted: 'Preempted',
  yielded: 'Made room for others',
  launch_failed: 'Could not be started',
  lost: 'Lost',
};

/** `float · default 0.1 · --lr · the step size` */
export function aboutParam(param: ScriptParam): string {
  const given = param.default !== null && param.default !== undefined;
  const told = param.flag?.replace(/^-+/, '').replaceAll('-', '_') === param.name;
  const parts = [
    param.type,
    given ? `default ${valueText(param.default)}` : null,
    told ? null : param.flag,
    param.help,
  ];
  return parts.filter(Boolean).join(' · ');
}

export function placeholderOf(param: ScriptParam | null): string {
  if (!param) return '';
  if (param.required) return 'required';
  return param.default === null || param.default === undefined ? 'not given' : valueText(param.default);
}
