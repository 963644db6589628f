import { describeRecurrence } from 'kalends/describe';
import { RecurrenceError } from 'kalends/recurrence';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { calendarTexts } from '../../texts/en/calendar.ts';
import {
  type Frequency,
  linesOf,
  ordinalOfDate,
  type RecurrenceChoice,
  WEEKDAYS,
  weekdayOfDate,
} from './recurrence-choice.ts';

const texts = calendarTexts.recurrence;
const FREQUENCIES: readonly Frequency[] = ['none', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'custom'];
const ENDS: readonly RecurrenceChoice['ends'][] = ['never', 'count', 'until'];

interface RecurrenceEditorProps {
  readonly choice: RecurrenceChoice;
  /** Day of the start. */
  readonly start: string;
  readonly problem?: string | undefined;
  onChange(choice: RecurrenceChoice): void;
}

/** Returns lines in words, or undefined for what cannot be read. */
export function inWords(lines: readonly string[]): string | undefined {
  try {
    const words = describeRecurrence(lines);
    return words === '' ? '' : words[0]?.toUpperCase() + words.slice(1);
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

/** Edits when an event repeats, and says it in words. */
export function RecurrenceEditor({ choice, start, problem, onChange }: RecurrenceEditorProps) {
  const { frequency } = choice;
  const change = (part: Partial<RecurrenceChoice>) => onChange({ ...choice, ...part });
  const lines = linesOf(choice, start);
  const words = inWords(lines);
  return (
    <div class="stack-small recurrence">
      <SelectField
        label={texts.label}
        value={frequency}
        problem={problem ?? (words === undefined ? texts.invalid : undefined)}
        hint={words || undefined}
        options={FREQUENCIES.map((value) => ({ value, label: texts.frequencies[value] }))}
        onChange={(value) => change(begun(value, choice, start))}
      />
      {frequency === 'none' ? null : frequency === 'custom' ? (
        <TextField
          label={texts.rule}
          hint={texts.ruleHint}
          value={choice.custom}
          onInput={(custom) => change({ custom })}
          isRequired
        />
      ) : (
        <>
          <Interval choice={choice} frequency={frequency} onChange={change} />
          {frequency === 'WEEKLY' ? <Weekdays choice={choice} start={start} onChange={change} /> : null}
          {frequency === 'MONTHLY' ? <DayOfMonth choice={choice} start={start} onChange={change} /> : null}
          <End choice={choice} start={start} onChange={change} />
        </>
      )}
    </div>
  );
}

/** Returns the parts that another frequency begins with. */
function begun(frequency: Frequency, choice: RecurrenceChoice, start: string): Partial<RecurrenceChoice> {
  if (frequency === 'custom') {
    const [line = 'RRULE:FREQ=WEEKLY'] = linesOf(choice, start);
    return { frequency, custom: line.replace(/^RRULE:/, '') };
  }
  if (frequency === 'WEEKLY' && choice.weekdays.length === 0) return { frequency, weekdays: [weekdayOfDate(start)] };
  return { frequency };
}

interface PartProps {
  readonly choice: RecurrenceChoice;
  onChange(part: Partial<RecurrenceChoice>): void;
}

type Unit = keyof typeof texts.units;

function Interval({ choice, frequency, onChange }: PartProps & { readonly frequency: Unit }) {
  return (
    <div class="row input-row">
      <TextField
        label={`${texts.interval} (${texts.units[frequency]})`}
        type="number"
        value={String(choice.interval)}
        onInput={(text) => onChange({ interval: Math.max(1, Number.parseInt(text, 10) || 1) })}
        isRequired
      />
    </div>
  );
}

function Weekdays({ choice, start, onChange }: PartProps & { readonly start: string }) {
  // A weekly rule without weekdays is on that of its start.
  const weekdays = choice.weekdays.length === 0 ? [weekdayOfDate(start)] : choice.weekdays;
  const toggled = (day: number) =>
    weekdays.includes(day) ? weekdays.filter((each) => each !== day) : [...weekdays, day];
  return (
    <fieldset class="plain stack-small">
      <legend class="label">{texts.on}</legend>
      <div class="chips">
        {WEEKDAYS.map((name, day) => (
          <button
            type="button"
            key={name}
            class="chip"
            aria-pressed={weekdays.includes(day)}
            aria-label={texts.weekdays[day]}
            onClick={() => onChange({ weekdays: toggled(day) })}
          >
            {texts.weekdays[day]?.slice(0, 3)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function DayOfMonth({ choice, start, onChange }: PartProps & { readonly start: string }) {
  const ordinal = texts.ordinals[String(ordinalOfDate(start))] ?? '';
  const weekday = texts.weekdays[weekdayOfDate(start)] ?? '';
  return (
    <CheckField
      label={`${texts.by} ${texts.byWeekday(ordinal, weekday)}`}
      isChecked={choice.isByWeekday}
      onChange={(isByWeekday) => onChange({ isByWeekday })}
    />
  );
}

function End({ choice, start, onChange }: PartProps & { readonly start: string }) {
  return (
    <div class="row input-row">
      <SelectField
        label={texts.ends}
        value={choice.ends}
        options={ENDS.map((value) => ({ value, label: texts.endings[value] }))}
        onChange={(ends) => onChange({ ends, until: choice.until || start })}
      />
      {choice.ends === 'count' ? (
        <TextField
          label={texts.count}
          type="number"
          value={String(choice.count)}
          onInput={(text) => onChange({ count: Math.max(1, Number.parseInt(text, 10) || 1) })}
          isRequired
        />
      ) : null}
      {choice.ends === 'until' ? (
        <TextField
          label={texts.until}
          type="date"
          value={choice.until}
          onInput={(until) => onChange({ until })}
          isRequired
        />
      ) : null}
    </div>
  );
}
