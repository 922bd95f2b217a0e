import { expect, it } from 'vitest';
import { EMPTY } from './lib/draft';
import { scriptChosen } from './useEditor';

const typed = {
  ...EMPTY,
  script: 'a.py',
  name: 'a.py',
  params: { lr: '0.1,0.2' },
  added: ['lr'],
  convention: 'flags',
  metric: 'accuracy',
  goal: 'max',
  metricFiles: 'out/*.csv',
  description: 'why',
  method: 'random',
};

it('clears what belonged to the script before, and keeps what a person chose', () => {
  const chosen = { ...typed, ...scriptChosen(typed, 'b.py') };
  const { params, added, convention, metric, goal, metricFiles } = EMPTY;
  expect(chosen).toMatchObject({ params, added, convention, metric, goal, metricFiles });
  expect(chosen).toMatchObject({ script: 'b.py', name: 'b.py', description: 'why', method: 'random' });
  expect(scriptChosen({ ...typed, name: 'mine' }, 'b.py')).not.toHaveProperty('name');
});

it('keeps everything where the script is the same, or the first', () => {
  expect({ ...typed, ...scriptChosen(typed, 'a.py') }).toEqual(typed);
  expect(scriptChosen({ ...typed, script: null }, 'b.py')).not.toHaveProperty('params');
});
