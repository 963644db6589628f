import { Icon, type IconName } from '../../parts/icon.tsx';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import type { Mark } from './shown-event.ts';

const ICONS: Readonly<Record<Mark, IconName>> = {
  recurring: 'repeat',
  moved: 'moved',
  cancelled: 'bad',
  declined: 'declined',
  tentative: 'question',
  unanswered: 'question',
  free: 'free',
};

const ALL: readonly Mark[] = ['recurring', 'moved', 'tentative', 'unanswered', 'declined', 'cancelled', 'free'];

/** The marks of an event: a picture for each, and its word for readers of screens. */
export function Marks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <>
      {marks.map((mark) => (
        <span class="mark" key={mark} title={texts.marks[mark]}>
          <Icon name={ICONS[mark]} />
          <span class="hidden">{texts.marks[mark]}: </span>
        </span>
      ))}
    </>
  );
}

/** Legend of the marks, as events look with them. */
export function Legend() {
  return (
    <ul class="legend" aria-label={texts.legend}>
      {ALL.map((mark) => (
        <li key={mark}>
          <span class={`event-sample is-${mark}`}>
            <Icon name={ICONS[mark]} />
          </span>
          <span>{texts.marks[mark]}</span>
        </li>
      ))}
    </ul>
  );
}
