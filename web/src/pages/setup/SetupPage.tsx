import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { api, take } from '../../api/client';
import { errorText } from '../../parts/ErrorPanel';
import { FrontPage } from '../../parts/FrontPage';
import { useTitle, Waiting } from '../../parts/Page';
import { InvitePeople } from '../people/InvitePeople';
import { Joining } from '../people/Joining';
import { RunAs } from '../people/RunAs';
import { FirstStep } from './FirstStep';
import { OtherWays } from './OtherWays';
import styles from './Setup.module.css';

const STEPS = ['Your account', 'Who may join', 'Who runs the tasks', 'Invite people'];

/** `/setup?code=…`: the first admin sets the team up, somebody invited takes an account. */
export default function SetupPage() {
  useTitle('Welcome');
  // It is used up with the first step; the address loses it then.
  const [code] = useState(new URLSearchParams(useSearch()).get('code') ?? '');
  const [step, setStep] = useState(0);
  const info = useQuery({
    queryKey: ['setup', code],
    queryFn: ({ signal }) => take(api.POST('/api/v1/setup/open', { body: { code }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (info.isPending) return <Waiting />;
  if (!info.data) return <Unusable why={errorText(info.error)} />;
  const first = info.data.first ?? false;
  const done = () => {
    // Whoever is invited is in; a page that is loaded anew knows nothing of who was here before.
    if (!first) return location.replace('/');
    history.replaceState(null, '', '/setup');
    setStep(1);
  };
  return (
    <FrontPage title={first ? 'Set the team up' : 'Welcome to Paddock'} wide={first}>
      {first && <Steps at={step} />}
      {step === 0 && <FirstStep code={code} info={info.data} onDone={done} />}
      {info.data.name == null && <OtherWays code={code} />}
      {step === 1 && <Joining />}
      {step === 2 && <RunAs />}
      {step === 3 && <InvitePeople />}
      {step > 0 && <Onward step={step} onStep={setStep} />}
    </FrontPage>
  );
}

function Steps({ at }: { at: number }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {STEPS.map((name, place) => (
        <li key={name} aria-current={place === at ? 'step' : undefined} data-done={place < at || undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}

function Onward({ step, onStep }: { step: number; onStep: (step: number) => void }) {
  const last = step === STEPS.length - 1;
  return (
    <Group justify="flex-end">
      {step > 1 && (
        <Button variant="default" onClick={() => onStep(step - 1)}>
          Back
        </Button>
      )}
      {last ? (
        <Button component="a" href="/">
          To the jobs
        </Button>
      ) : (
        <Button onClick={() => onStep(step + 1)}>Next</Button>
      )}
    </Group>
  );
}

function Unusable({ why }: { why: string }) {
  return (
    <FrontPage title="This link does not work">
      <Stack>
        <Alert color="red" variant="outline" role="alert">
          {why}
        </Alert>
        <Text size="sm" c="dimmed">
          Links like this work once, and not for ever. Ask whoever sent it for another.
        </Text>
        <Button component="a" href="/" variant="default">
          To the sign-in
        </Button>
      </Stack>
    </FrontPage>
  );
}
