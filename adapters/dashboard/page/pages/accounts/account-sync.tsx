import type { SyncHealth, SyncProgress } from 'kalends/model';
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useActivity, useSettled } from '../../state/activity.ts';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { SyncHealthList } from './sync-health.tsx';

const texts = accountsTexts.sync;
/** Pulls of this process are told as they end; those of others are asked for. */
const RUNNING_MS = 5_000;
const RESTING_MS = 15_000;

/** The state of an account's sync, and a sync at once with its progress. */
export function AccountSync({ accountId, isActive }: { readonly accountId: string; readonly isActive: boolean }) {
  const path = ofApplication(`/accounts/${accountId}`);
  const [since, setSince] = useState<string>();
  const health = useResource<SyncHealth>({ path: `${path}/syncHealth`, query: { since } });
  const [shown, setShown] = useState<SyncHealth>();
  const sync = useAction(async () => {
    const progress = await request<SyncProgress>({ method: 'POST', path: `${path}/sync` });
    setSince(progress.since);
  });
  const progress = health.data?.progress ?? undefined;
  const isRunning = since !== undefined && (progress === undefined || progress.done + progress.failed < progress.total);
  useEffect(() => {
    // The state before stays while that of the sync is read for the first time.
    if (health.data !== undefined) setShown(health.data);
  }, [health.data]);
  const readAgain = useSettled(health.reload);
  useActivity(
    ['pull.ended'],
    (activity) => {
      if (activity.type === 'pull.ended' && activity.endUserAccountId === accountId) readAgain();
    },
    readAgain,
  );
  useEffect(() => {
    const timer = setInterval(() => void health.reload(), isRunning ? RUNNING_MS : RESTING_MS);
    return () => clearInterval(timer);
  }, [isRunning, since]);
  useEffect(() => {
    if (progress !== undefined && !isRunning && progress.failed === 0) announce(texts.done);
  }, [isRunning]);
  return (
    <section class="stack-small">
      <div class="row spread">
        <h3>{accountsTexts.health.title}</h3>
        <Button icon="refresh" isBusy={sync.isRunning || isRunning} isDisabled={!isActive} onClick={sync.run}>
          {texts.button}
        </Button>
      </div>
      <ErrorNote error={sync.error ?? health.error} onRetry={health.reload} />
      {progress === undefined ? null : <Progress progress={progress} isRunning={isRunning} />}
      {shown === undefined ? null : <SyncHealthList accountId={accountId} health={shown} />}
    </section>
  );
}

function Progress({ progress, isRunning }: { readonly progress: SyncProgress; readonly isRunning: boolean }) {
  const { done, failed, total } = progress;
  return (
    <div class="stack-small" role="status">
      <div class="progress">
        <div style={{ width: `${total === 0 ? 100 : ((done + failed) / total) * 100}%` }} />
      </div>
      <p class="small muted">
        {texts.running(done, total)}
        {failed === 0 ? '' : ` · ${texts.failed(failed)}`}
        {isRunning ? ` · ${texts.background}` : ''}
      </p>
    </div>
  );
}
