import type { AvailableSlot } from 'kalends/model';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { clockOf, longDay } from './written-slots.ts';

const texts = availabilityTexts.answer;

interface SlotGroupTimesProps {
  readonly slots: readonly AvailableSlot[];
  onExplain(slotDateTime: string): void;
}

/** Slots as buttons, which open their details. */
export function SlotGroupTimes({ slots, onExplain }: SlotGroupTimesProps) {
  const shown = slots.map(({ start }) => clockOf(start.dateTime));
  return (
    <ul class="slots">
      {slots.map(({ start, end }, index) => {
        const clock = shown[index] ?? '';
        // An hour that comes twice is told apart by its offset.
        const isTwice = shown.filter((other) => other === clock).length > 1;
        const label = isTwice ? `${clock} ${start.dateTime.slice(19)}` : clock;
        return (
          <li key={start.dateTime}>
            <button
              type="button"
              class="slot"
              aria-label={texts.slot(longDay(start.dateTime), label, clockOf(end.dateTime))}
              onClick={() => onExplain(start.dateTime)}
            >
              {label}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
