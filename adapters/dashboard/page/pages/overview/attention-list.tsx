import { signal } from '@preact/signals';
import type { Diagnosis } from 'kalends/model';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { overviewTexts } from '../../texts/en/overview.ts';
import { type Attention, fromDiagnosis } from './attention.ts';

const texts = overviewTexts.state;
/**
 * A diagnosis asks the providers whether they accept the OAuth clients, and the audit log notes it: not each time that the page is
 * opened or loaded anew.
 */
const DIAGNOSIS_KEPT_MS = 3_600_000;
const KEPT_AS = 'kalends.diagnosis';

interface Checked {
  readonly at: number;
  readonly diagnosis: Diagnosis;
}

const checked = signal<Checked | undefined>(JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null') ?? undefined);

/** Says what needs a look, the worst first, or that all is well. */
export function AttentionList({ found }: { readonly found: readonly Attention[] | undefined }) {
  const check = useAction(async () => {
    const diagnosis = await request<Diagnosis>({ path: '/admin/v1/diagnosis' });
    checked.value = { at: Date.now(), diagnosis };
    sessionStorage.setItem(KEPT_AS, JSON.stringify(checked.value));
  });
  useEffect(() => {
    if (checked.value === undefined || Date.now() - checked.value.at > DIAGNOSIS_KEPT_MS) void check.run();
  }, []);
  const last = checked.value;
  const all = [...(found ?? []), ...(last === undefined ? [] : fromDiagnosis(last.diagnosis))];
  const worstFirst = [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warning')];
  const isKnown = found !== undefined && last !== undefined;
  return (
    <section class="card page-status" aria-labelledby="state-of-the-service">
      <div class="card-head">
        <div class="row">
          <h2 id="state-of-the-service">{texts.title}</h2>
          <span role="status">
            {all.length > 0 ? (
              <StateLabel tone={worstFirst[0]?.tone ?? 'warning'}>{texts.look(all.length)}</StateLabel>
            ) : isKnown ? (
              <StateLabel tone="good">{texts.good}</StateLabel>
            ) : (
              <StateLabel tone="neutral">{texts.checking}</StateLabel>
            )}
          </span>
        </div>
        <div class="row small muted">
          {last === undefined ? null : (
            <span>
              {texts.checked} <Time at={new Date(last.at).toISOString()} />
            </span>
          )}
          <Button icon="refresh" isBusy={check.isRunning} onClick={check.run}>
            {texts.checkAgain}
          </Button>
        </div>
      </div>
      <div class="card-body stack-small">
        <ErrorNote error={check.error} onRetry={check.run} />
        {all.length > 0 ? <Lines all={worstFirst} /> : <p class="muted">{isKnown ? texts.goodText : texts.checking}</p>}
      </div>
    </section>
  );
}

function Lines({ all }: { readonly all: readonly Attention[] }) {
  return (
    <ul class="lines attention">
      {all.map(({ tone, text, remedy, link }) => (
        <li key={text}>
          <StateLabel tone={tone}>{texts.tones[tone]}</StateLabel>
          <div>
            <p>{text}</p>
            {remedy === undefined ? null : <p class="muted small">{remedy}</p>}
          </div>
          {link === undefined ? null : <a href={link.href}>{link.label}</a>}
        </li>
      ))}
    </ul>
  );
}
