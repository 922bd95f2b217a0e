import { describe, expect, it } from 'vitest';
import { groupMetrics, inBytesUnit, inPercent, inTimeUnit, sideOf, usageOf } from './metrics';

describe('sideOf', () => {
  it.each([
    ['loss', 'loss', 'train'],
    ['val_loss', 'loss', 'validation'],
    ['train/loss', 'loss', 'train'],
    ['Validation/Accuracy', 'Accuracy', 'validation'],
    ['loss/val', 'loss', 'validation'],
    ['test_acc', 'acc', 'test'],
    ['valid.f1', 'f1', 'validation'],
    ['value', 'value', 'train'],
    ['val', 'val', 'train'],
    ['training_time', 'time', 'train'],
    ['evaluation', 'evaluation', 'train'],
  ])('%s', (metric, base, side) => expect(sideOf(metric)).toEqual({ base, side }));
});

describe('groupMetrics', () => {
  it('puts training and validation of one metric together, in the same colours everywhere', () => {
    expect(groupMetrics(['accuracy', 'loss', 'val_accuracy', 'val_loss', 'lr'])).toEqual([
      {
        name: 'accuracy',
        members: [
          { metric: 'accuracy', color: 0 },
          { metric: 'val_accuracy', color: 1 },
        ],
      },
      {
        name: 'loss',
        members: [
          { metric: 'loss', color: 0 },
          { metric: 'val_loss', color: 1 },
        ],
      },
      { name: 'lr', members: [{ metric: 'lr', color: 0 }] },
    ]);
  });

  it('has the group of the objective first', () => {
    expect(groupMetrics(['accuracy', 'val_loss', 'loss'], 'val_loss').map(({ name }) => name)).toEqual([
      'loss',
      'accuracy',
    ]);
  });

  it('leaves out what the runner measures, and repeats nothing', () => {
    expect(groupMetrics(['sys/memory', 'loss', 'loss', 'sys/cpu'])).toEqual([
      { name: 'loss', members: [{ metric: 'loss', color: 0 }] },
    ]);
    expect(groupMetrics([])).toEqual([]);
  });

  it('keeps two metrics of one side apart', () => {
    const [group] = groupMetrics(['loss', 'train_loss', 'val_loss', 'loss_train']);
    expect(new Set(group?.members.map(({ color }) => color)).size).toBe(4);
    expect(group?.members.find(({ metric }) => metric === 'val_loss')?.color).toBe(1);
  });
});

describe('inTimeUnit', () => {
  it('takes the unit of the last', () => {
    expect(inTimeUnit([0, 1.5])).toEqual({ unit: 'second', steps: [0, 1.5] });
    expect(inTimeUnit([60, 900])).toEqual({ unit: 'minute', steps: [1, 15] });
    expect(inTimeUnit([1800, 36000])).toEqual({ unit: 'hour', steps: [0.5, 10] });
    expect(inTimeUnit([])).toEqual({ unit: 'second', steps: [] });
  });
});

describe('inBytesUnit', () => {
  it('takes the unit of the largest', () => {
    expect(inBytesUnit([512 * 2 ** 20, null, 2 ** 30])).toEqual({ unit: 'GiB', values: [0.5, null, 1] });
    expect(inBytesUnit([3 * 2 ** 20])).toEqual({ unit: 'MiB', values: [3] });
    expect(inBytesUnit([])).toEqual({ unit: 'B', values: [] });
    expect(inBytesUnit([0, 1023])).toEqual({ unit: 'B', values: [0, 1023] });
  });
});

describe('usageOf', () => {
  it('has the GPU where it was measured', () => {
    const names = (metrics: string[]) => usageOf(metrics).map(({ name }) => name);
    expect(names([])).toEqual(['Memory', 'CPU']);
    expect(names(['loss', 'sys/gpu_load', 'sys/gpu_memory', 'sys/cpu', 'sys/memory'])).toEqual([
      'Memory',
      'CPU',
      'GPU memory',
      'GPU load',
    ]);
    expect(inPercent([0, null, 0.456])).toEqual({ unit: '%', values: [0, null, 45.6] });
  });
});
