import type { AvailableRange } from 'kalends/model';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { common } from '../../texts/en/frame.ts';
import { Attendance } from './attendance.tsx';
import type { Question } from './question.ts';
import { rangesByDay, slotBlocks } from './slot-blocks.ts';
import { SlotGroupTimes } from './slot-group-times.tsx';
import type { AvailabilityAnswer } from './use-answer.ts';
import { WhyNot } from './why-not.tsx';
import { clockOf, longDay } from './written-slots.ts';

const texts = availabilityTexts.answer;

interface AnswerProps {
  /** The question that was asked. */
  readonly question: Question | undefined;
  /** Whether the form holds another one. */
  readonly isChanged: boolean;
  readonly answer: AvailabilityAnswer;
  onExplain(slotDateTime: string): void;
}

/** The times at which the people can meet, by day, and the question why not at another. */
export function Answer({ question, isChanged, answer, onExplain }: AnswerProps) {
  if (question === undefined) {
    return (
      <div class="card">
        <h2 class="hidden" id="answer-title">
          {texts.title}
        </h2>
        <EmptyState icon="availability" title={texts.waitingTitle} hint={texts.waiting} />
      </div>
    );
  }
  const { slots, ranges, total, hasMore, isKnown, isLoading, line, more } = answer;
  const isEmpty = isKnown && slots.length === 0 && ranges.length === 0;
  return (
    <div class={isChanged ? 'card stale' : 'card'} aria-busy={isLoading}>
      <div class="card-head">
        <h2 id="answer-title" aria-live="polite">
          {!isKnown
            ? texts.title
            : question.result === 'ranges'
              ? texts.ranges(ranges.length, hasMore)
              : texts.slots(total ?? slots.length)}
        </h2>
        <span class="muted small">{texts.inZone(question.timeZone)}</span>
      </div>
      {isChanged ? (
        <p class="answer-note neutral small" role="status">
          <Icon name="warning" />
          {texts.changed}
        </p>
      ) : null}
      {line.length < 2 ? null : <Line names={line} />}
      {isEmpty ? <EmptyState icon="availability" title={texts.noneTitle} hint={texts.none} /> : null}
      <Slots question={question} answer={answer} onExplain={onExplain} />
      <Ranges ranges={ranges} />
      <ErrorNote error={more.error} onRetry={more.run} />
      {hasMore ? (
        <div class="answer-more">
          <Button isBusy={more.isRunning} onClick={more.run}>
            {common.loadMore}
          </Button>
        </div>
      ) : null}
      {isKnown ? <WhyNot date={question.from} onExplain={onExplain} /> : null}
    </div>
  );
}

/** The hosts in the order in which they are due. */
function Line({ names }: { readonly names: readonly string[] }) {
  return (
    <div class="line">
      <span class="muted small" id="line-label">
        {texts.line}
      </span>
      <ol aria-labelledby="line-label">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ol>
    </div>
  );
}

function Slots({ question, answer, onExplain }: Pick<AnswerProps, 'answer' | 'onExplain'> & { question: Question }) {
  const { order } = question;
  return (
    <>
      {slotBlocks(answer.slots, order).map(({ date, groups, firstRank, lastRank }) => (
        <section key={`${date} ${firstRank}`} class="answer-day">
          <h3>
            {longDay(date)}
            {order === 'rank' ? <span class="muted small">{texts.ranks(firstRank, lastRank)}</span> : null}
          </h3>
          {groups.map((group) => (
            <div key={group.slots[0]?.start.dateTime} class="slot-group">
              <Attendance participants={group.participants} absent={group.absent} />
              <p class="muted small">{group.reason}</p>
              <SlotGroupTimes slots={group.slots} onExplain={onExplain} />
            </div>
          ))}
        </section>
      ))}
    </>
  );
}

function Ranges({ ranges }: { readonly ranges: readonly AvailableRange[] }) {
  return (
    <>
      {rangesByDay(ranges).map(({ date, ranges: ofDay }) => (
        <section key={date} class="answer-day">
          <h3>{longDay(date)}</h3>
          {ofDay.map(({ start, end, participants, absent }) => (
            <div key={start.dateTime + end.dateTime} class="slot-group range">
              <strong class="range-times">
                {clockOf(start.dateTime)} – {clockOf(end.dateTime, date)}
              </strong>
              <Attendance participants={participants} absent={absent} />
            </div>
          ))}
        </section>
      ))}
    </>
  );
}
