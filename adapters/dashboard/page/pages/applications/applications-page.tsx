import type { Application } from 'kalends/model';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Call, request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { pageLink } from '../../state/links.ts';
import { loadApplications } from '../../state/load-session.ts';
import { applications } from '../../state/session.ts';
import { applicationsTexts as texts } from '../../texts/en/applications.ts';
import { common } from '../../texts/en/frame.ts';

const LIST: Call = { path: '/admin/v1/applications' };
const createCall = (name: string, redirectUrls: readonly string[]): Call => ({
  method: 'POST',
  path: '/admin/v1/applications',
  body: { name, redirectUrls },
});

/** All applications, and a new one. */
export function ApplicationsPage() {
  const [isCreating, setCreating] = useState(false);
  const all = applications.value ?? [];
  const create = () => setCreating(true);
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <Button kind="primary" icon="plus" onClick={create}>
          {texts.create}
        </Button>
      </PageHead>
      <div class="card">
        {all.length === 0 ? (
          <EmptyState
            icon="application"
            title={texts.empty.title}
            hint={texts.empty.hint}
            call={createCall('My product', ['https://app.example.com/connected'])}
          >
            <Button kind="primary" onClick={create}>
              {texts.create}
            </Button>
          </EmptyState>
        ) : (
          <ApplicationTable applications={all} />
        )}
      </div>
      <ApiSample call={LIST} />
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function ApplicationTable({ applications: all }: { readonly applications: readonly Application[] }) {
  const { columns } = texts;
  return (
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.id}</th>
            <th scope="col">{columns.redirectUrls}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col">{columns.createdAt}</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ id, name, redirectUrls, status, createdAt }) => (
            <tr key={id}>
              <td data-label={columns.name}>
                <a class="row-link" href={pageLink(id, 'overview')}>
                  {name}
                </a>
              </td>
              <td data-label={columns.id}>
                <CopyId id={id} what={texts.columns.id} />
              </td>
              <td data-label={columns.redirectUrls}>{redirectUrls.length}</td>
              <td data-label={columns.status}>
                {status === 'ACTIVE' ? (
                  <StateLabel tone="good">{texts.active}</StateLabel>
                ) : (
                  <StateLabel tone="warning">{texts.deleting}</StateLabel>
                )}
              </td>
              <td data-label={columns.createdAt}>
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useState('');
  const [redirectUrl, setRedirectUrl] = useState('');
  const action = useAction(async () => {
    const urls = redirectUrl.trim() === '' ? [] : [redirectUrl.trim()];
    const created = await request<Application>(createCall(name, urls));
    await loadApplications();
    route(pageLink(created.id, 'settings'));
  });
  const nameProblem = action.error?.ruleOf('name');
  const urlProblem = action.error?.ruleOf('redirectUrls.0');
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <DialogBody>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            value={name}
            onInput={setName}
            problem={nameProblem}
            isRequired
            hasFocus
          />
          <TextField
            label={texts.redirectUrl}
            hint={texts.redirectHint}
            placeholder="https://app.example.com/connected"
            value={redirectUrl}
            onInput={setRedirectUrl}
            problem={urlProblem}
            isOptional
          />
          {nameProblem === undefined && urlProblem === undefined ? <ErrorNote error={action.error} /> : null}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={action.isRunning}>
            {texts.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
