import { expect, test } from 'vitest';
import type { Curve } from '../../api/types';
import { bestPlaces, figures, goalOf, metricNames, paramRows } from './compareLib';

function curve(metric: string, values: (number | null)[]): Curve {
  return { task: 'a-1', metric, steps: values.map((_, i) => i), values, times: [], total: values.length };
}

test('parameters that differ come first; one that a job does not have differs', () => {
  const rows = paramRows([{ params: { lr: 0.1, epochs: 5 } }, { params: { lr: 0.2, epochs: 5, width: 8 } }]);
  expect(rows.map(({ name, differs }) => [name, differs])).toEqual([
    ['lr', true],
    ['width', true],
    ['epochs', false],
  ]);
  expect(rows[1]?.texts).toEqual(['', '8']);
});

test('figures of a curve leave out what is no number', () => {
  expect(figures(curve('loss', [3, null, 1, 2]))).toEqual({ last: 2, min: 1, max: 3 });
  expect(figures(curve('loss', [null]))).toEqual({ last: null, min: null, max: null });
  expect(figures(undefined).last).toBeNull();
});

test('metrics: objectives first, then the most frequent, nothing that the runner measures', () => {
  const curves = [
    [curve('acc', [1]), curve('sys/cpu', [1]), curve('val_loss', [1])],
    [curve('acc', [1]), curve('bleu', [1])],
  ];
  expect(metricNames(curves, [{ objective: { metric: 'val_loss', goal: 'min' } }])).toEqual([
    'val_loss',
    'acc',
    'bleu',
  ]);
});

test('the best values are marked only where they differ and somebody says which way', () => {
  expect([...bestPlaces([0.3, 0.1, null, 0.1], 'min')]).toEqual([1, 3]);
  expect([...bestPlaces([0.3, 0.1], 'max')]).toEqual([0]);
  expect(bestPlaces([0.1, 0.1], 'min').size).toBe(0);
  expect(bestPlaces([0.3, 0.1], null).size).toBe(0);
  expect(goalOf('acc', [{ objective: { metric: 'acc', goal: 'max' } }])).toBe('max');
  expect(goalOf('bleu', [], [{ metric: 'bleu', goal: 'max' }])).toBe('max');
  expect(goalOf('acc', [{ objective: { metric: 'acc', goal: 'min' } }], [{ metric: 'acc', goal: 'max' }])).toBe('min');
  expect(goalOf('other', [{ objective: { metric: 'acc', goal: 'max' } }])).toBeNull();
});
