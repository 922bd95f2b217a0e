import { expect, it } from 'vitest';
import { labelOf, place, sectionsOf } from './fields';

it('puts what is wrong at its field', () => {
  const placed = place(
    {
      'spec.params.lr': 'no number',
      'params.a.b.values': 'of a name with a dot',
      'params.bad name.[key]': 'no name',
      params: 'too many',
      'tags.0': 'empty',
      'environment.variables.X Y.[key]': 'no name',
      'resources.gpus': 'none there',
      'spec.resources.slurm.options.1': '--mem is set by Paddock',
      'spec.resources.hosts.only.0': "'x!' is not the name of a host",
      'spec.resources.account': "String should match pattern '^x$'",
      'spec.resources': 'triple says this already',
      'spec.resources.per_gpu': 'write a number or auto',
      'retries.lost': 'too many',
      body: 'strange',
    },
    ['params.lr', 'params.a', 'params.a.b', 'params.bad name', 'retries.lost'],
  );
  expect(placed.at).toEqual({
    'params.lr': 'No number',
    'params.a.b': 'Of a name with a dot',
    'params.bad name': expect.stringContaining('A name begins'),
    params: 'Too many',
    tags: 'Empty',
    'environment.variables': expect.stringContaining('A name begins'),
    'resources.gpus': 'None there',
    'resources.options': '--mem is set by Paddock',
    'resources.only': "'x!' is not the name of a host",
    'resources.account': 'It contains a character that is not allowed',
    resources: 'Triple says this already',
    'resources.per_gpu': 'Write a number or auto',
    'retries.lost': 'Too many',
  });
  expect(placed.rest).toEqual({ body: 'strange' });
});

it('says of a parameter that has no field at the group', () => {
  expect(place({ 'params.unknown': 'what' }, []).at).toEqual({ params: 'What' });
});

it('knows the folded part of a field', () => {
  expect(sectionsOf(['name', 'parallel', 'environment.venv', 'grace_seconds'])).toEqual([
    'resources',
    'environment',
    'retries',
  ]);
});

it('puts what is wrong with a search at its field', () => {
  const faults = {
    'spec.search.trials': 'too many',
    'stop_early.eta': 'too few',
    'other_objectives.0.metric': 'empty',
  };
  const { at } = place(faults, ['other_objectives.0', 'other_objectives.0.goal']);
  expect(Object.keys(at)).toEqual(['search.trials', 'stop_early.eta', 'other_objectives.0']);
  expect(Object.keys(at).map(labelOf)).toEqual(['trials', 'eta', 'metric 2']);
});

it('says that resources do not go together at the field that excludes the others', () => {
  const faults = { 'spec.resources': 'triple says this already' };
  expect(place(faults, [], 'resources.triple').at).toEqual({ 'resources.triple': 'Triple says this already' });
  expect(place(faults, []).at).toEqual({ resources: 'Triple says this already' });
});
