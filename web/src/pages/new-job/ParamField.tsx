import { ActionIcon, TextInput } from '@mantine/core';
import { valueText } from '../../lib/params';
import { IconClose } from '../../parts/icons';
import styles from './Editor.module.css';
import { useForm } from './form';
import { isChosen, type Row, toggled } from './lib/rows';
import { aboutParam, placeholderOf } from './lib/words';

interface Props {
  row: Row;
  /** It is given already, as a variable of the environment. */
  variable: boolean;
}

/** One hyperparameter, as text that the server reads. */
export function ParamField({ row: { name, param, removable }, variable }: Props) {
  const { draft, set, wrong } = useForm();
  const text = draft.params[name] ?? '';
  const write = (written: string) => set({ params: { ...draft.params, [name]: written } });
  const remove = () => {
    const { [name]: _, ...params } = draft.params;
    set({ params, added: draft.added.filter((one) => one !== name) });
  };
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
        error={wrong[`params.${name}`]}
        data-field={`params.${name}`}
        onChange={(event) => write(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' }, label: { overflowWrap: 'anywhere' } }}
        rightSection={
          removable ? (
            <ActionIcon size="sm" aria-label={`Remove ${name}`} onClick={remove}>
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
}
