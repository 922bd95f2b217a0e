import { List } from '@mantine/core';
import type { ScriptReport } from '../../api/types';
import { plural } from '../../lib/format';
import { passed, sourceText } from './lib/words';
import { Section } from './Section';
import { Warnings } from './Warnings';

/** What was found by reading the script. The parameters themselves are the fields below. */
export function FoundPanel({ report }: { report: ScriptReport }) {
  const { params = [], metrics = [], warnings = [] } = report;
  const required = params.filter((param) => param.required).length;
  return (
    <Section title="Found in the script">
      <List size="sm" spacing={2}>
        <List.Item>
          {params.length
            ? `${plural(params.length, 'hyperparameter')}${required ? `, ${required} of them required` : ''}`
            : 'No hyperparameters were found in the script'}
          {report.open_ended && '; it may take others'}
        </List.Item>
        {(params.length > 0 || report.open_ended) && (
          <List.Item>
            {params.length ? 'They are' : 'What you add is'} passed {passed(report.convention)}
          </List.Item>
        )}
        <List.Item>
          {metrics.length
            ? `Metrics are read from ${metrics.map(sourceText).join(', ')}`
            : 'No metrics were found in the script: there may be no curves'}
        </List.Item>
      </List>
      <Warnings warnings={warnings} />
    </Section>
  );
}
