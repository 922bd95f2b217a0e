import { Button, Code, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSamples } from '../../api/system';
import { CopyButton } from '../../parts/CopyButton';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { type Icon, IconChart, IconPlay, IconTerminal, IconUpload } from '../../parts/icons';
import styles from './FirstSteps.module.css';
import { useRunSample } from './useRunSample';

const COMMAND = 'paddock submit train.py -p lr=0.1,0.01 -p batch_size=32,64';

/** What an empty dashboard shows: how to submit a first job. */
export function FirstSteps() {
  const { data: samples = [] } = useSamples();
  const run = useRunSample();
  return (
    <div className={styles.all}>
      <IconChart size={40} strokeWidth={1.25} className={styles.icon} />
      <Title order={2}>No jobs yet</Title>
      <Text c="dimmed" maw={540} ta="center">
        Give Paddock a training script and the hyperparameters to try. It runs every configuration, draws the curves
        while they train, and says which was best.
      </Text>
      <div className={styles.ways}>
        <Way icon={IconUpload} title="From the browser">
          <p>Drop your script. Paddock reads its hyperparameters, and you say which values to try.</p>
          <Button component={Link} href="/new" fullWidth>
            Choose a script
          </Button>
        </Way>
        <Way icon={IconTerminal} title="From the command line">
          <p>In the folder of your script; here two learning rates and two batch sizes, so four tasks:</p>
          <div className={styles.command}>
            <Code>{COMMAND}</Code>
            <CopyButton text={COMMAND} label="Copy the command" />
          </div>
        </Way>
        {samples.map((sample) => (
          <Way key={sample.name} icon={IconPlay} title="No script at hand?">
            <p>
              Try the sample sweep <b>{sample.name}</b>. {sample.description}
            </p>
            <Button variant="default" fullWidth loading={run.isPending} onClick={() => run.mutate(sample)}>
              Run the sample sweep
            </Button>
          </Way>
        ))}
      </div>
      {run.error && <ErrorPanel error={run.error} title="The sample was not accepted" />}
    </div>
  );
}

function Way({ icon: Shown, title, children }: { icon: Icon; title: string; children: ReactNode }) {
  return (
    <section className={`app-panel ${styles.way}`}>
      <Title order={3} className={styles.title}>
        <Shown size={18} /> {title}
      </Title>
      {children}
    </section>
  );
}
