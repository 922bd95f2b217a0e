import { ActionIcon, TextInput } from '@mantine/core';
import { memo } from 'react';
import { valueText } from '../../lib/params';
import { IconClose } from '../../parts/icons';
import styles from './Editor.module.css';
import { isChosen, type Row, toggled } from './lib/rows';
import { aboutParam, placeholderOf } from './lib/words';

interface Props {
  row: Row;
  /** It is given already, as a variable of the environment. */
  variable: boolean;
  text: string;
  error: string | undefined;
  onWrite: (name: string, text: string) => void;
  onRemove: (name: string) => void;
}

/** One hyperparameter, as text that the server reads. Of hundreds, only the one that changes is drawn again. */
export const ParamField = memo(function ParamField(props: Props) {
  const { row, variable, text, error, onWrite, onRemove } = props;
  const { name, param, removable } = row;
  const write = (written: string) => onWrite(name, written);
  const choices = (param?.choices ?? (param?.type === 'bool' ? [true, false] : [])).map(valueText);
  return (
    <div>
      <TextInput
        label={name}
        withAsterisk={(param?.required ?? false) && !variable}
        description={param ? aboutParam(param) : undefined}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        placeholder={variable ? 'as in the variables below' : placeholderOf(param)}
        value={text}
        error={error}
        data-field={`params.${name}`}
        onChange={(event) => write(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' }, label: { overflowWrap: 'anywhere' } }}
        rightSection={
          removable ? (
            <ActionIcon size="sm" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
              <IconClose size={14} />
            </ActionIcon>
          ) : null
        }
      />
      {choices.length > 0 && choices.length <= 12 && (
        <div className={styles.chips}>
          {choices.map((choice) => (
            <button
              key={choice}
              type="button"
              className={styles.chip}
              aria-pressed={isChosen(text, choice)}
              aria-label={`${name}: ${choice}`}
              onClick={() => write(toggled(text, choice))}
            >
              {choice}
            </button>
          ))}
        </div>
      )}
    </div>
  );
});
