import { Accordion, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { plural } from '../../lib/format';
import { EnvironmentFields } from './EnvironmentFields';
import { useForm } from './form';
import type { Draft } from './lib/draft';
import { sectionsOf } from './lib/fields';
import { resourcesText } from './lib/resources';
import { roomText } from './lib/room';
import { MetricFields } from './MetricFields';
import { ResourceFields } from './ResourceFields';
import { RetryFields } from './RetryFields';
import { RoomFields } from './RoomFields';

const SECTIONS: { id: string; title: string; says: (draft: Draft) => string; fields: ReactNode }[] = [
  {
    id: 'resources',
    title: 'Resources',
    says: ({ resources, parallel }) => resourcesText(resources, parallel),
    fields: <ResourceFields />,
  },
  { id: 'environment', title: 'Environment', says: environmentText, fields: <EnvironmentFields /> },
  { id: 'metrics', title: 'Metric files', says: metricsText, fields: <MetricFields /> },
  { id: 'room', title: 'Priority and room for others', says: roomText, fields: <RoomFields /> },
  { id: 'retries', title: 'Retries and stopping', says: retriesText, fields: <RetryFields /> },
];

/** What most jobs leave as it is: folded away, saying what it holds; open where something is wrong. */
export function MoreSections() {
  const { draft, wrong } = useForm();
  const [open, setOpen] = useState<string[]>([]);
  const faulty = sectionsOf(Object.keys(wrong)).join();
  useEffect(() => {
    if (faulty) setOpen((now) => [...new Set([...now, ...faulty.split(',')])]);
  }, [faulty]);
  return (
    <Accordion multiple variant="contained" value={open} onChange={setOpen} order={2} keepMounted={false}>
      {SECTIONS.map(({ id, title, says, fields }) => (
        <Accordion.Item key={id} value={id} bg="var(--app-raised)">
          <Accordion.Control>
            <Text span fw={600} size="sm">
              {title}
            </Text>{' '}
            <Text span size="sm" c="dimmed" ml={6}>
              {says(draft)}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>{fields}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function environmentText({ envKind, envPlace, setup, variables, convention, mode }: Draft): string {
  const count = (text: string) => text.split('\n').filter((line) => line.trim()).length;
  const parts = [
    envKind === 'default' ? 'the server’s Python' : envPlace,
    count(setup) ? plural(count(setup), 'set-up line') : '',
    count(variables) ? plural(count(variables), 'variable') : '',
    mode === 'script' && convention !== 'auto' ? convention : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function metricsText({ metricFiles, stdout }: Draft): string {
  const files = metricFiles.split('\n').filter((line) => line.trim());
  return [...(files.length ? files.slice(0, 2) : ['found automatically']), stdout ? '' : 'not from printed lines']
    .filter(Boolean)
    .join(', ');
}

function retriesText({ retries, grace }: Draft): string {
  const given = Object.values(retries).filter((count) => count !== '').length;
  const parts = [
    given ? `set for ${plural(given, 'cause')}` : 'the server’s defaults',
    grace ? `grace ${grace} s` : '',
  ];
  return parts.filter(Boolean).join(', ');
}
