import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';

const texts = availabilityTexts.answer;

interface WhyNotProps {
  /** Day that is filled in. */
  readonly date: string;
  onExplain(slotDateTime: string): void;
}

/** Asks why a time is not offered. */
export function WhyNot({ date, onExplain }: WhyNotProps) {
  const [day, setDay] = useState(date);
  const [clock, setClock] = useState('12:00');
  return (
    <form
      class="why-not"
      onSubmit={(event) => {
        event.preventDefault();
        if (day !== '' && clock !== '') onExplain(`${day}T${clock}`);
      }}
    >
      <div class="why-not-words">
        <h3>{texts.whyNot}</h3>
        <p class="muted small">{texts.whyNotHint}</p>
      </div>
      <TextField label={texts.date} type="date" value={day} onInput={setDay} isRequired />
      <TextField label={texts.time} type="time" value={clock} onInput={setClock} isRequired />
      <Button type="submit" icon="question">
        {texts.explain}
      </Button>
    </form>
  );
}
