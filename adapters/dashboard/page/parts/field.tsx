import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { common } from '../texts/en/frame.ts';
import { Icon } from './icon.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The rule that the value breaks. */
  readonly problem?: string | undefined;
  readonly isOptional?: boolean;
  /** Renders the control with these attributes. */
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly class: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/** A control with its label, a hint, and what is wrong with its value. */
export function Field({ label, hint, problem, isOptional = false, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional ? <span class="muted"> ({common.optional})</span> : null}
      </label>
      {children({ id, class: 'input', 'aria-describedby': `${id}-hint`, 'aria-invalid': problem !== undefined })}
      <div id={`${id}-hint`} class={problem === undefined && hint === undefined ? 'hidden' : undefined}>
        {problem === undefined ? null : (
          <p class="problem">
            <Icon name="warning" />
            {problem}
          </p>
        )}
        {hint === undefined ? null : <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'url' | 'email' | 'date' | 'time' | 'number' | 'datetime-local';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
  readonly autoComplete?: string;
}

export function TextField(props: TextFieldProps) {
  const { value, onInput, type = 'text', placeholder, isRequired, hasFocus, autoComplete = 'off', ...field } = props;
  return (
    <Field {...field}>
      {(attributes) => (
        <input
          {...attributes}
          {...({ type } as { type: 'text' })}
          value={value}
          placeholder={placeholder}
          required={isRequired}
          // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that was just opened
          autoFocus={hasFocus}
          autoComplete={autoComplete}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<Value extends string> extends Omit<FieldProps, 'children'> {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

export function SelectField<Value extends string>({ value, options, onChange, ...field }: SelectFieldProps<Value>) {
  return (
    <Field {...field}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function CheckField({ label, isChecked, onChange }: CheckFieldProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
