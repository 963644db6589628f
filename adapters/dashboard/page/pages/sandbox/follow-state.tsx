import { Button } from '../../parts/button.tsx';
import { StateLabel, type Tone } from '../../parts/state-label.tsx';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import type { Mailbox } from './mailboxes.ts';
import { noteOwnAct } from './timeline-entries.ts';
import type { Following, FollowState as State } from './use-following.ts';

const texts = sandboxTexts.follow;
const TONES: Readonly<Record<State, Tone>> = {
  followed: 'good',
  connected: 'neutral',
  unconnected: 'neutral',
  expired: 'bad',
};

/** Whether the application follows the mailbox, and the button that makes it so. */
export function FollowState({ mailbox, following }: { readonly mailbox: Mailbox; readonly following: Following }) {
  const { state, follow } = following;
  if (state === undefined) return <span class="state-place" />;
  const verb = state === 'expired' ? texts.reconnect : texts.button;
  const run = async () => {
    noteOwnAct(sandboxTexts.timeline.someone, `${verb.toLowerCase()}: ${mailbox.email}`);
    await follow.run();
  };
  return (
    <div class="row">
      <StateLabel tone={TONES[state]}>{texts.states[state]}</StateLabel>
      {state === 'followed' ? null : (
        <span title={texts.hint}>
          <Button kind="primary" isBusy={follow.isRunning} onClick={run}>
            {verb}
          </Button>
        </span>
      )}
    </div>
  );
}
