import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import type { ArmedFaults } from './armed-faults.ts';
import type { Mailbox } from './mailboxes.ts';
import { type Preset, presetsFor } from './presets.ts';
import { noteOwnAct } from './timeline-entries.ts';

const texts = sandboxTexts.faults;
const { timeline } = sandboxTexts;

interface FaultsCardProps {
  readonly mailbox: Mailbox;
  readonly armed: ArmedFaults;
}

/** Faults that can be armed at the mailbox's provider, and those that are. */
export function FaultsCard({ mailbox, armed }: FaultsCardProps) {
  const arm = useAction(async ({ name, call }: Preset) => {
    await request(call);
    noteOwnAct(timeline.someone, timeline.armedAct(name));
    await armed.reload();
  });
  const clear = useAction(async (calls: ArmedFaults['lines'][number]['clear'][]) => {
    for (const call of calls) await request(call);
    await armed.reload();
  });
  return (
    <section class="card" aria-labelledby="sandbox-faults">
      <div class="card-head">
        <h2 id="sandbox-faults">{texts.title}</h2>
        <span class="muted small">
          {texts.at} {sandboxTexts.providers[mailbox.provider]}
        </span>
      </div>
      <div class="card-body stack">
        <div class="stack-small" aria-live="polite">
          {armed.lines.length === 0 ? (
            <p class="muted small">{texts.none}</p>
          ) : (
            <ul class="armed">
              {armed.lines.map(({ key, text, detail, clear: call }) => (
                <li key={key} class="row spread">
                  <span>
                    {text} {detail === undefined ? null : <span class="small">· {detail}</span>}
                  </span>
                  <Button
                    kind="quiet"
                    icon="close"
                    label={`${texts.clear}: ${text}`}
                    onClick={() => clear.run([call])}
                  />
                </li>
              ))}
            </ul>
          )}
        </div>
        <ErrorNote error={arm.error ?? clear.error ?? armed.error} />
        <ul class="presets">
          {presetsFor(mailbox).map((preset) => (
            <li key={preset.name}>
              <button type="button" class={`preset ${preset.isFinal ? 'final' : ''}`} onClick={() => arm.run(preset)}>
                <span class="preset-name">{preset.name}</span>
                <span class="muted small">{preset.effect}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
