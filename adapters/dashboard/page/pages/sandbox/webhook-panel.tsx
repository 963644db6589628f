import { CodeBlock, CopyId } from '../../parts/copy.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { dayAndTime } from './clock-card.tsx';
import { type InboxPost, postsOf } from './inbox.ts';

const texts = sandboxTexts.webhook;
const { verdicts } = sandboxTexts.timeline;

/** The signed requests that brought a message to the inbox. */
export function WebhookPanel({ messageId, onClose }: { readonly messageId: string; readonly onClose: () => void }) {
  const posts = postsOf(messageId);
  return (
    <Panel title={texts.title} head={<CopyId id={messageId} what="hook-id" length={40} />} onClose={onClose}>
      {posts.length === 0 ? <p class="muted">{texts.none}</p> : <p class="muted small">{texts.signedHint}</p>}
      {posts.toReversed().map((post, index) => (
        <Attempt key={post.number} post={post} number={posts.length - index} />
      ))}
    </Panel>
  );
}

function Attempt({ post, number }: { readonly post: InboxPost; readonly number: number }) {
  const { at, headers, body, verdict, answered } = post;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section class="stack-small">
      <div class="row spread">
        <h3>{texts.attempt(number)}</h3>
        <StateLabel tone={verdict === 'verified' ? 'good' : 'bad'}>{verdicts[verdict]}</StateLabel>
      </div>
      <dl class="facts">
        <dt>{texts.arrived}</dt>
        <dd>{dayAndTime(Date.parse(at))}</dd>
        <dt>{texts.answered}</dt>
        <dd>{answered}</dd>
      </dl>
      <p class="label">{texts.headers}</p>
      <CodeBlock text={lines.join('\n')} what={texts.headers} />
      <p class="label">{texts.body}</p>
      <CodeBlock text={body} what={texts.body} />
    </section>
  );
}
