/** Metrics that belong together: training and validation. */

import { EPOCH_METRIC } from './across';

const BEFORE = ['val_', 'val/', 'val-', 'valid_', 'validation_', 'eval_', 'test_'];

/** `loss` for `val_loss`, `val_loss` for `loss`, when it is among the names that were reported. */
export function counterpart(metric: string, names: readonly string[]): string | null {
  for (const before of BEFORE) {
    const plain = metric.startsWith(before) ? metric.slice(before.length) : null;
    const others =
      plain === null
        ? [before + withoutTrain(metric)]
        : [plain, `train_${plain}`, `train/${plain}`, `training_${plain}`];
    const found = others.find((other) => other !== metric && names.includes(other));
    if (found) return found;
  }
  return null;
}

function withoutTrain(metric: string): string {
  return metric.replace(/^(train|training)[_/-]/, '');
}

/** What the node did, not the training. */
export function isOfMachine(metric: string): boolean {
  return metric.startsWith('sys/');
}

/** For a list to choose from: the objective first, the node's last. */
export function grouped(names: Iterable<string>): { group: string; items: string[] }[] {
  const all = [...new Set(names)].filter((name) => name && name !== EPOCH_METRIC);
  const groups = [
    { group: 'Training', items: all.filter((name) => !isOfMachine(name)) },
    { group: 'Node', items: all.filter(isOfMachine) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

export function isValidation(metric: string): boolean {
  return BEFORE.some((before) => metric.startsWith(before));
}
