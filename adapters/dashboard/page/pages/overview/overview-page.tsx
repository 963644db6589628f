import './overview.css';
import type { MeasurementList, Receiver } from 'kalends/model';
import { useEffect, useMemo } from 'preact/hooks';
import type { Call } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useResource } from '../../api/use-resource.ts';
import { Choice } from '../../parts/choice.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useNow } from '../../parts/time.tsx';
import { useFilters } from '../../state/filters.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId, session } from '../../state/session.ts';
import { overviewTexts as texts } from '../../texts/en/overview.ts';
import { fromMeasurements, fromReceivers } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PlotCard } from './plot-card.tsx';
import { plotsOf } from './plots-of.ts';

const PATH = '/admin/v1/measurements';
const REFRESH_MS = 30_000;
const QUARTER_MS = 15 * 60_000;
const QUARTERS_OF_A_DAY = 96;
const HOUR: Call = { path: PATH };

/** The last day in quarters of an hour; its begin moves with them, so that the address of the call stays for a while. */
function dayCall(now: number): Call {
  const since = now - (now % QUARTER_MS) - (QUARTERS_OF_A_DAY - 1) * QUARTER_MS;
  return { path: PATH, query: { since: new Date(since).toISOString(), stepMs: QUARTER_MS } };
}

/** The state of the service in words, and what it has done as plots. */
export function OverviewPage() {
  const filters = useFilters();
  const period = filters.get('period') === 'day' ? 'day' : 'hour';
  const now = useNow(REFRESH_MS);
  const hour = useResource<MeasurementList>(HOUR);
  const day = useResource<MeasurementList>(period === 'day' ? dayCall(now) : undefined);
  const shown = period === 'day' ? day : hour;
  const receivers = useResource<{ readonly data: readonly Receiver[] }>({
    path: ofApplication('/receivers'),
    query: { limit: 250 },
  });
  useEffect(() => {
    for (const each of [hour, day, receivers]) if (each.data !== undefined) void each.reload();
  }, [now]);
  const id = applicationId.value ?? '';
  const found = useMemo(() => {
    if (hour.data === undefined || receivers.data === undefined) return undefined;
    const providers = session.value?.oauthProviderTypes ?? [];
    return [...fromReceivers(receivers.data.data, id, now), ...fromMeasurements(hour.data, id, now, providers)];
  }, [hour.data, receivers.data]);
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <Choice
          label={texts.period.label}
          value={period}
          options={[
            { value: 'hour', label: texts.period.hour },
            { value: 'day', label: texts.period.day },
          ]}
          onChange={(value) => filters.set({ period: value === 'day' ? value : '' })}
        />
      </PageHead>
      <FirstSteps />
      <AttentionList found={found} />
      <ErrorNote error={shown.error ?? receivers.error} onRetry={shown.reload} />
      <Plots list={shown.data} />
      <ApiSample call={period === 'day' ? dayCall(now) : HOUR} />
    </>
  );
}

function Plots({ list }: { readonly list: MeasurementList | undefined }) {
  const plots = useMemo(() => (list === undefined ? undefined : plotsOf(list)), [list]);
  if (plots === undefined) return <Placeholders />;
  if (list?.data.length === 0) {
    return (
      <div class="card">
        <EmptyState icon="overview" title={texts.empty.title} hint={texts.empty.hint} call={HOUR}>
          <a class="button primary" href={pageLink(applicationId.value ?? '', 'settings')}>
            {texts.empty.settings}
          </a>
        </EmptyState>
      </div>
    );
  }
  // A budget is an option: without one there is nothing that could be used up.
  const shown = plots.filter(({ name, lines }) => name !== 'budget' || lines.length > 0);
  return (
    <div class="plots">
      {shown.map((plot) => (
        <PlotCard key={plot.name} plot={plot} />
      ))}
    </div>
  );
}

/** Holds the place of the plots while they are read. */
function Placeholders() {
  return (
    <div class="plots" aria-hidden="true">
      {Object.keys(texts.plots).map((name) => (
        <div key={name} class="card plot-card plot-placeholder" />
      ))}
    </div>
  );
}
