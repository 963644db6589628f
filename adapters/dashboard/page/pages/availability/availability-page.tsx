import './availability.css';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { shownZone } from '../../parts/time.tsx';
import { wallTextAt } from '../../parts/wall-time.ts';
import { useFilters } from '../../state/filters.ts';
import { pageLink } from '../../state/links.ts';
import { serverNow } from '../../state/server-time.ts';
import { applicationId } from '../../state/session.ts';
import { availabilityTexts as texts } from '../../texts/en/availability.ts';
import { Answer } from './answer.tsx';
import { isShownAtFields } from './field-problems.ts';
import { bodyOf, newQuestion, readQuestion } from './question.ts';
import { QuestionForm } from './question-form.tsx';
import { SlotPanel } from './slot-panel.tsx';
import { useAnswer } from './use-answer.ts';
import { namesOf, usePeople } from './use-people.ts';

/** Parameter of the address that holds the question. */
const ASKED = 'ask';

/** When people can meet. `objectId` is the time that is explained. */
export function AvailabilityPage({ objectId }: { readonly objectId?: string | undefined }) {
  const { route } = useLocation();
  const filters = useFilters();
  const base = newQuestion(wallTextAt(shownZone(), serverNow()).slice(0, 10), shownZone());
  const text = filters.get(ASKED);
  const asked = text === '' ? undefined : readQuestion(text, base);
  const [question, setQuestion] = useState(asked ?? base);
  const results = useRef<HTMLElement>(null);

  const all = [...new Set([...question.people, ...(asked?.people ?? [])].map(({ accountId }) => accountId))];
  const people = usePeople(all);
  const isRead = asked?.people.every(({ accountId }) => people.known.has(accountId)) ?? false;
  const body = asked === undefined || !isRead ? undefined : bodyOf(asked, namesOf(asked.people, people.known));
  const answer = useAnswer(body);

  const addressOf = (slot?: string, ask = text) => {
    const link = pageLink(applicationId.value ?? '', 'availability', slot);
    return ask === '' ? link : `${link}?${new URLSearchParams({ [ASKED]: ask })}`;
  };
  const submit = () => {
    const ask = JSON.stringify(question);
    if (ask === text) void answer.reload();
    else route(addressOf(undefined, ask));
    // On a narrow page the answer is below the form.
    if (matchMedia('(max-width: 1099px)').matches) results.current?.scrollIntoView();
  };
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose} />
      <ErrorNote error={people.error} onRetry={people.retry} />
      <div class="availability">
        <QuestionForm
          question={question}
          known={people.known}
          error={answer.error}
          isBusy={answer.isLoading}
          onShow={answer.isKnown ? () => results.current?.scrollIntoView() : undefined}
          onChange={setQuestion}
          onSubmit={submit}
        />
        <section class="answer" ref={results} aria-labelledby="answer-title">
          {answer.error === undefined || isShownAtFields(answer.error) ? null : (
            <ErrorNote error={answer.error} onRetry={answer.reload} />
          )}
          <Answer
            question={asked}
            isChanged={asked !== undefined && JSON.stringify(question) !== JSON.stringify(asked)}
            answer={answer}
            onExplain={(slot) => route(addressOf(slot))}
          />
          {body === undefined ? null : <ApiSample call={{ method: 'POST', path: '/v1/availability', body }} />}
        </section>
      </div>
      {objectId === undefined || body === undefined || asked === undefined ? null : (
        <SlotPanel
          key={objectId}
          slotDateTime={objectId}
          query={body}
          found={answer.slots.find(({ start }) => start.dateTime === objectId)}
          total={answer.total ?? 0}
          zoneOf={zonesByName(asked.people.map(namesOf(asked.people, people.known)))}
          onClose={() => route(addressOf())}
        />
      )}
    </>
  );
}

function zonesByName(named: readonly { readonly name: string; readonly timeZone: string | undefined }[]) {
  const zones = new Map(named.map(({ name, timeZone }) => [name, timeZone]));
  return (name: string) => zones.get(name);
}
