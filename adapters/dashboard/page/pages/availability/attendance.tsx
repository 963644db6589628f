import { availabilityTexts } from '../../texts/en/availability.ts';

const texts = availabilityTexts.answer;
const SHOWN = 8;

interface AttendanceProps {
  readonly participants: readonly string[];
  readonly absent: readonly string[];
}

/** Who is taken by a slot, and who of the optional people cannot come. */
export function Attendance({ participants, absent }: AttendanceProps) {
  const hidden = participants.length - SHOWN;
  return (
    <ul class="attendance">
      {participants.slice(0, SHOWN).map((name) => (
        <li key={name} class="attendee">
          {name}
        </li>
      ))}
      {hidden > 0 ? <li class="muted small">{texts.more(hidden)}</li> : null}
      {absent.map((name) => (
        <li key={name} class="attendee missing">
          {texts.without(name)}
        </li>
      ))}
    </ul>
  );
}
