import { useMemo } from 'preact/hooks';
import { CheckField, Field, TextField } from '../../parts/field.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { ruleBelow } from './field-problems.ts';
import { Problem } from './problem.tsx';
import { type Hours, type Question, WEEKDAYS } from './question.ts';
import type { QuestionFieldsProps } from './question-fields.ts';

const texts = availabilityTexts.when;
const OFFICE: Hours = { days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' };

/** The window, the length of a slot, and the working hours. */
export function WhenFields({ question, error, onChange }: QuestionFieldsProps) {
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  const set = (change: Partial<Question>) => onChange({ ...question, ...change });
  const { from, to, timeZone, duration, step, hours } = question;
  return (
    <fieldset class="plain question-part">
      <legend>{texts.title}</legend>
      <div class="question-pair">
        <TextField
          label={texts.from}
          type="date"
          value={from}
          problem={ruleBelow(error, 'startDateTime')}
          onInput={(date) => set({ from: date, to: date > to ? date : to })}
        />
        <TextField
          label={texts.to}
          type="date"
          value={to}
          problem={ruleBelow(error, 'endDateTime')}
          onInput={(date) => set({ to: date })}
        />
      </div>
      <Field label={texts.zone} problem={ruleBelow(error, 'timeZone')}>
        {(attributes) => (
          <input
            {...attributes}
            list="zones"
            value={timeZone}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => set({ timeZone: event.currentTarget.value })}
          />
        )}
      </Field>
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div class="question-pair">
        <TextField
          label={texts.duration}
          type="number"
          value={duration}
          problem={ruleBelow(error, 'durationMinutes')}
          onInput={(text) => set({ duration: text })}
        />
        <TextField
          label={texts.step}
          type="number"
          value={step}
          problem={ruleBelow(error, 'stepMinutes')}
          onInput={(text) => set({ step: text })}
        />
      </div>
      <CheckField
        label={texts.hours}
        isChecked={hours !== null}
        onChange={(isChecked) => set({ hours: isChecked ? OFFICE : null })}
      />
      {hours === null ? null : (
        <HoursFields
          hours={hours}
          hasOwnZones={question.hasOwnZones}
          problem={ruleBelow(error, 'rules.openHours')}
          onChange={set}
        />
      )}
    </fieldset>
  );
}

interface HoursFieldsProps {
  readonly hours: Hours;
  readonly hasOwnZones: boolean;
  readonly problem: string | undefined;
  onChange(change: Partial<Question>): void;
}

function HoursFields({ hours, hasOwnZones, problem, onChange }: HoursFieldsProps) {
  const { days, start, end } = hours;
  const set = (change: Partial<Hours>) => onChange({ hours: { ...hours, ...change } });
  return (
    <div class="hours stack-small">
      <fieldset class="plain weekdays" aria-label={texts.days}>
        {WEEKDAYS.map((day) => (
          <button
            key={day}
            type="button"
            class="chip"
            aria-pressed={days.includes(day)}
            onClick={() => set({ days: WEEKDAYS.filter((each) => days.includes(each) !== (each === day)) })}
          >
            {texts.dayNames[day]}
          </button>
        ))}
      </fieldset>
      <div class="question-pair">
        <TextField label={texts.start} type="time" value={start} onInput={(text) => set({ start: text })} />
        <TextField label={texts.end} type="time" value={end} onInput={(text) => set({ end: text })} />
      </div>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <CheckField
        label={texts.ownZones}
        isChecked={hasOwnZones}
        onChange={(isChecked) => onChange({ hasOwnZones: isChecked })}
      />
    </div>
  );
}
