import type { Calendar, CalendarEvent } from 'kalends/model';
import type { ComponentChildren } from 'preact';
import { CopyId } from '../../parts/copy.tsx';
import { StateLabel, type Tone } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { calendarTexts } from '../../texts/en/calendar.ts';
import { inWords } from './recurrence-editor.tsx';
import { isMoved } from './shown-event.ts';
import { eventTimes, originalTime } from './written-times.ts';

const texts = calendarTexts.event;
const TONES: Readonly<Record<keyof typeof texts.responses, Tone>> = {
  accepted: 'good',
  tentative: 'warning',
  declined: 'bad',
  needsAction: 'neutral',
};

interface EventFactsProps {
  readonly event: CalendarEvent;
  readonly calendar: Calendar | undefined;
  /** Recurrence of the event, or of its series. */
  readonly lines: readonly string[];
  readonly zone: string;
}

/** Facts of an event, in words. */
export function EventFacts({ event, calendar, lines, zone }: EventFactsProps) {
  const own = event.start.timeZone;
  const { attendees, organizer, conferenceData, location, description } = event;
  return (
    <dl class="facts">
      <Fact name={texts.when}>
        {eventTimes(event, zone)}
        {event.isAllDay || own === zone ? null : <p class="muted small">{eventTimes(event, own)}</p>}
      </Fact>
      {isMoved(event) ? <Fact name={texts.originally}>{originalTime(event, zone)}</Fact> : null}
      {lines.length === 0 ? null : (
        <Fact name={texts.recurrence}>
          <span title={lines.join('\n')}>{inWords(lines) ?? lines.join(', ')}</span>
        </Fact>
      )}
      <Fact name={texts.calendar}>{calendar?.name}</Fact>
      {location === '' ? null : <Fact name={texts.location}>{location}</Fact>}
      {conferenceData?.joinUrl?.startsWith('https://') ? (
        <Fact name={texts.meeting}>
          <a href={conferenceData.joinUrl} target="_blank" rel="noreferrer">
            {texts.join}
          </a>
        </Fact>
      ) : null}
      {organizer === undefined ? null : (
        <Fact name={texts.organizer}>
          {organizer.name || organizer.email}
          {organizer.isSelf ? <span class="muted"> ({texts.you})</span> : null}
        </Fact>
      )}
      {attendees.length === 0 ? null : (
        <Fact name={texts.attendees}>
          <ul class="stack-small">
            {attendees.map(({ email, name, responseStatus }) => (
              <li key={email} class="row spread">
                <span class="breaking">{name || email}</span>
                <StateLabel tone={TONES[responseStatus]}>{texts.responses[responseStatus]}</StateLabel>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {description === '' ? null : <Fact name={texts.description}>{<p class="notes">{description}</p>}</Fact>}
      <Fact name={texts.shownAs}>{calendarTexts.form.showAsOptions[event.showAs] ?? event.showAs}</Fact>
      <Fact name={texts.id}>
        <CopyId id={event.id} what={texts.id} length={32} />
      </Fact>
      {event.recurringEventId === undefined ? null : (
        <Fact name={texts.series}>
          <CopyId id={event.recurringEventId} what={texts.series} length={32} />
        </Fact>
      )}
      <Fact name={texts.changed}>
        <Time at={event.updatedAt} accountZone={calendar?.timeZone ?? null} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
