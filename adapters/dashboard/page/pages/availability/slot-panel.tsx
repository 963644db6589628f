import type { AvailabilityQuery, AvailableSlot, SlotExplanation, SlotObstacle } from 'kalends/model';
import { useResource } from '../../api/use-resource.ts';
import { Panel } from '../../parts/dialog.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { wallTextAt } from '../../parts/wall-time.ts';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { obstacleWords } from './obstacle-words.ts';
import { clockOf, longDay, rangeOf } from './written-slots.ts';

const texts = availabilityTexts.slot;

interface SlotPanelProps {
  readonly slotDateTime: string;
  readonly query: AvailabilityQuery;
  /** The slot as the answer has it. */
  readonly found: AvailableSlot | undefined;
  /** Number of slots of the answer. */
  readonly total: number;
  /** Returns the zone of a person's calendar. */
  zoneOf(name: string): string | undefined;
  onClose(): void;
}

/** Why a time is offered, or why not, for each person. */
export function SlotPanel({ slotDateTime, query, found, total, zoneOf, onClose }: SlotPanelProps) {
  const { result: _, orderBy: __, ...question } = query;
  const call = { method: 'POST' as const, path: '/v1/availability/explain', body: { ...question, slotDateTime } };
  const { data, error, reload } = useResource<SlotExplanation>(call);
  const end = data?.end.dateTime;
  const title = `${longDay(slotDateTime)}, ${clockOf(slotDateTime)}${end === undefined ? '' : ` – ${clockOf(end, slotDateTime.slice(0, 10))}`}`;
  const head =
    data === undefined ? null : (
      <span class="row">
        <StateLabel tone={data.isOffered ? 'good' : 'bad'}>
          {data.isOffered ? texts.offered : texts.notOffered}
        </StateLabel>
      </span>
    );
  return (
    <Panel title={title} head={head} onClose={onClose}>
      <ErrorNote error={error} onRetry={reload} />
      {found === undefined ? null : (
        <p>
          <strong>{texts.rank(found.rank, total)}</strong>: {found.reason}
        </p>
      )}
      {data === undefined ? null : (
        <>
          <Obstacles explanation={data} />
          <section class="stack-small">
            <h3>{texts.people}</h3>
            <ul class="lines">
              {data.participants.map((person) => (
                <PersonLine
                  key={person.id}
                  person={person}
                  explanation={data}
                  isTaken={found?.participants.includes(person.id) ?? false}
                  zone={zoneOf(person.id)}
                />
              ))}
            </ul>
          </section>
        </>
      )}
      <ApiSample call={call} />
    </Panel>
  );
}

/** The obstacles of the slot itself; those of single people stand beside their names. */
function Obstacles({ explanation }: { readonly explanation: SlotExplanation }) {
  const { obstacles, start } = explanation;
  const general = obstacles.filter(({ participantId }) => participantId === undefined);
  if (general.length === 0) return null;
  return (
    <section class="note bad">
      <h3>{texts.obstacles}</h3>
      <ObstacleList obstacles={general} date={start.dateTime.slice(0, 10)} />
    </section>
  );
}

function ObstacleList({ obstacles, date }: { readonly obstacles: readonly SlotObstacle[]; readonly date: string }) {
  return (
    <ul class="obstacles">
      {obstacles.map((obstacle) => (
        <li key={obstacle.text} data-code={obstacle.code}>
          {obstacleWords(obstacle, date)}
        </li>
      ))}
    </ul>
  );
}

interface PersonLineProps {
  readonly person: SlotExplanation['participants'][number];
  readonly explanation: SlotExplanation;
  readonly isTaken: boolean;
  readonly zone: string | undefined;
}

function PersonLine({ person, explanation, isTaken, zone }: PersonLineProps) {
  const { start, end } = explanation;
  const state = !person.isFree ? 'busy' : isTaken ? 'taken' : 'free';
  const date = start.dateTime.slice(0, 10);
  return (
    <li class="stack-small">
      <div class="row spread">
        <span class="breaking">{person.id}</span>
        <StateLabel tone={state === 'busy' ? 'bad' : state === 'taken' ? 'good' : 'neutral'}>
          {texts.states[state]}
        </StateLabel>
      </div>
      {zone === undefined || zone === start.timeZone ? null : (
        <p class="muted small">
          {texts.theirTime(
            rangeOf(wallTextAt(zone, Date.parse(start.dateTime)), wallTextAt(zone, Date.parse(end.dateTime)), date),
            zone,
          )}
        </p>
      )}
      <ObstacleList obstacles={person.obstacles} date={date} />
    </li>
  );
}
