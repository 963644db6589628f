import { Choice } from '../../parts/choice.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { ruleBelow } from './field-problems.ts';
import { type Mode, type Question, withMode } from './question.ts';
import type { QuestionFieldsProps } from './question-fields.ts';

const texts = availabilityTexts.how;
const optionsOf = <Value extends string>(names: Readonly<Record<Value, string>>) =>
  (Object.keys(names) as Value[]).map((value) => ({ value, label: names[value] }));

/** The mode, the kind and order of the answer, and the rules that most questions do without. */
export function HowFields({ question, error, onChange }: QuestionFieldsProps) {
  const set = (change: Partial<Question>) => onChange({ ...question, ...change });
  const { mode, result, order, bufferBefore, bufferAfter, notice } = question;
  const [before, after] = [ruleBelow(error, 'rules.bufferBeforeMinutes'), ruleBelow(error, 'rules.bufferAfterMinutes')];
  const tooLate = ruleBelow(error, 'noticeMinutes');
  const hasProblem = (before ?? after ?? tooLate) !== undefined;
  return (
    <fieldset class="plain question-part">
      <legend>{texts.title}</legend>
      <SelectField<Mode>
        label={texts.mode}
        hint={texts.hints[mode]}
        value={mode}
        options={optionsOf(texts.modes)}
        onChange={(value) => onChange(withMode(question, value))}
      />
      <div class="row spread">
        <Choice
          label={texts.result}
          value={result}
          options={optionsOf(texts.results)}
          onChange={(value) => set({ result: value })}
        />
        {result === 'ranges' ? null : (
          <Choice
            label={texts.order}
            value={order}
            options={optionsOf(texts.orders)}
            onChange={(value) => set({ order: value })}
          />
        )}
      </div>
      <details class="more-rules" open={hasProblem || undefined}>
        <summary>{texts.more}</summary>
        <div class="stack-small details-body">
          <div class="question-pair">
            <TextField
              label={texts.bufferBefore}
              type="number"
              placeholder="0"
              value={bufferBefore}
              problem={before}
              onInput={(text) => set({ bufferBefore: text })}
            />
            <TextField
              label={texts.bufferAfter}
              type="number"
              placeholder="0"
              value={bufferAfter}
              problem={after}
              onInput={(text) => set({ bufferAfter: text })}
            />
          </div>
          <TextField
            label={texts.notice}
            hint={texts.noticeHint}
            type="number"
            placeholder="0"
            value={notice}
            problem={tooLate}
            onInput={(text) => set({ notice: text })}
          />
          <CheckField
            label={texts.allDay}
            isChecked={question.isAllDayBusy}
            onChange={(isAllDayBusy) => set({ isAllDayBusy })}
          />
          <CheckField
            label={texts.tentative}
            isChecked={question.isTentativeBusy}
            onChange={(isTentativeBusy) => set({ isTentativeBusy })}
          />
        </div>
      </details>
    </fieldset>
  );
}
