/** What the methods are called. */

import type { Method, StopEarly } from '../../../../api/types';

export const METHOD_NAMES: Record<Method, string> = {
  auto: 'Automatic search',
  grid: 'Grid',
  random: 'Random search',
  sobol: 'Sobol sequence',
  tpe: 'TPE',
  gp: 'Gaussian process',
  cmaes: 'CMA-ES',
  evolution: 'Evolution',
  nsga2: 'NSGA-II',
  pbt: 'Population-based training',
};

export const STOP_NAMES: Record<NonNullable<StopEarly['method']>, string> = {
  none: 'Nothing',
  median: 'The median rule',
  asha: 'ASHA',
  hyperband: 'Hyperband',
};
