import { useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LiveLabel } from '../../parts/live-label.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { pageLink } from '../../state/links.ts';
import { serverNow } from '../../state/server-time.ts';
import { applicationId } from '../../state/session.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { dayAndTime, timeFrom } from './clock-card.tsx';
import { messageOf, wordsOf } from './entry-words.ts';
import { postsOf } from './inbox.ts';
import { type TimelineEntry, timeline } from './timeline-entries.ts';

const texts = sandboxTexts.timeline;

interface TimelineProps {
  readonly emailOf: (accountId: string) => string;
}

/** Acts of the person and of the engine in turn, newest first. */
export function Timeline({ emailOf }: TimelineProps) {
  const entries = timeline.value;
  const list = useRef<HTMLElement>(null);
  const [newest] = entries;
  return (
    <section class="card timeline" aria-labelledby="sandbox-timeline" ref={list}>
      <div class="card-head">
        <h2 id="sandbox-timeline">{texts.title}</h2>
        <div class="row">
          <LiveLabel />
          <Button
            kind="quiet"
            isDisabled={entries.length === 0}
            onClick={() => {
              timeline.value = [];
            }}
          >
            {texts.clear}
          </Button>
        </div>
      </div>
      {entries.length === 0 ? (
        <EmptyState icon="sandbox" title={texts.empty.title} hint={texts.empty.hint} />
      ) : (
        <ol
          class="timeline-list"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          aria-labelledby="sandbox-timeline"
        >
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} emailOf={emailOf} />
          ))}
        </ol>
      )}
      {newest === undefined ? null : (
        <Latest entry={newest} emailOf={emailOf} onShow={() => list.current?.scrollIntoView()} />
      )}
    </section>
  );
}

interface LatestProps {
  readonly entry: TimelineEntry;
  readonly emailOf: TimelineProps['emailOf'];
  readonly onShow: () => void;
}

/** The newest line at the foot of a narrow page, where the timeline is out of sight. */
function Latest({ entry, emailOf, onShow }: LatestProps) {
  const { icon, tone, kind, text } = wordsOf(entry.what, emailOf);
  return (
    <button type="button" class="latest" onClick={onShow}>
      <span class={`entry-mark ${tone}`}>
        <Icon name={icon} />
      </span>
      <span class="latest-text">
        <strong>{kind}</strong> {text}
      </span>
      <Icon name="down" />
    </button>
  );
}

function Entry({ entry, emailOf }: { readonly entry: TimelineEntry; readonly emailOf: TimelineProps['emailOf'] }) {
  const { icon, tone, kind, text, detail } = wordsOf(entry.what, emailOf);
  const messageId = messageOf(entry.what);
  const verdict = messageId === undefined ? undefined : postsOf(messageId).at(-1)?.verdict;
  return (
    <li class={`entry ${tone === 'own' ? 'own' : ''}`}>
      <span class={`entry-mark ${tone}`}>
        <Icon name={icon} />
      </span>
      <div class="entry-text">
        <p>
          <strong>{kind}</strong> {text}
          {entry.times > 1 ? <span class="muted"> {texts.times(entry.times)}</span> : null}
        </p>
        {detail === undefined ? null : <p class="muted small">{detail}</p>}
        {messageId === undefined || verdict === undefined ? null : (
          <p class="row small">
            <StateLabel tone={verdict === 'verified' ? 'good' : 'bad'}>{texts.verdicts[verdict]}</StateLabel>
            <a href={pageLink(applicationId.value ?? '', 'sandbox', messageId)}>{texts.showRequest}</a>
          </p>
        )}
      </div>
      <time class="entry-time" dateTime={new Date(entry.at).toISOString()} title={dayAndTime(entry.at)}>
        {timeFrom(serverNow(), entry.at)}
      </time>
    </li>
  );
}
