import { useId } from 'preact/hooks';
import { sandboxTexts } from '../../texts/en/sandbox.ts';

const texts = sandboxTexts.event;

export type Scope = keyof typeof texts.scopes;

interface ScopeChoiceProps {
  readonly value: Scope;
  readonly onChange: (scope: Scope) => void;
}

/** Asks whether an occurrence alone is meant, or its whole series. */
export function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  const name = useId();
  return (
    <fieldset class="plain stack-small scope">
      <legend class="label">{texts.scope}</legend>
      {(Object.keys(texts.scopes) as Scope[]).map((scope) => (
        <label class="check" key={scope}>
          <input type="radio" name={name} checked={value === scope} onChange={() => onChange(scope)} />
          <span>{texts.scopes[scope]}</span>
        </label>
      ))}
    </fieldset>
  );
}
