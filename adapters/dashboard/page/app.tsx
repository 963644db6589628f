import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation, useRoute } from 'preact-iso';
import { useAction } from './api/use-action.ts';
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { ApplicationsPage } from './pages/applications/applications-page.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { ErrorNote } from './parts/error-note.tsx';
import { Toasts } from './parts/toasts.tsx';
import { applicationsLink, BASE, pageLink } from './state/links.ts';
import { loadSession } from './state/load-session.ts';
import { lastApplication } from './state/preferences.ts';
import { applicationId, applications, session } from './state/session.ts';

const PAGES = {
  accounts: lazy(() => import('./pages/accounts/accounts-page.tsx').then((page) => page.AccountsPage)),
  overview: lazy(() => import('./pages/overview/overview-page.tsx').then((page) => page.OverviewPage)),
  calendar: lazy(() => import('./pages/calendar/calendar-page.tsx').then((page) => page.CalendarPage)),
  availability: lazy(() => import('./pages/availability/availability-page.tsx').then((page) => page.AvailabilityPage)),
  keys: lazy(() => import('./pages/keys/keys-page.tsx').then((page) => page.KeysPage)),
  webhooks: lazy(() => import('./pages/webhooks/webhooks-page.tsx').then((page) => page.WebhooksPage)),
  audit: lazy(() => import('./pages/audit/audit-page.tsx').then((page) => page.AuditPage)),
  sandbox: lazy(() => import('./pages/sandbox/sandbox-page.tsx').then((page) => page.SandboxPage)),
  settings: lazy(() => import('./pages/settings/settings-page.tsx').then((page) => page.SettingsPage)),
} as const;

/** The page of an application that is shown first. */
const HOME = 'overview';

/** The dashboard: sign-in, or the frame around the page of the address. */
export function App() {
  const start = useAction(loadSession);
  useEffect(() => {
    void start.run();
  }, []);
  const { isSignedIn } = session.value ?? {};
  return (
    <LocationProvider scope={BASE === '' ? undefined : BASE}>
      {isSignedIn === undefined ? (
        <ErrorNote error={start.error} onRetry={start.run} />
      ) : isSignedIn ? (
        <Frame>
          <ErrorBoundary>
            <Router>
              <Route path={`${BASE}/`} component={Start} />
              <Route path={`${BASE}/applications`} component={Applications} />
              <Route path={`${BASE}/:application`} component={Start} />
              <Route path={`${BASE}/:application/:page/:object?`} component={ApplicationPage} />
              <Route default component={NotFound} />
            </Router>
          </ErrorBoundary>
        </Frame>
      ) : (
        <SignInPage />
      )}
      <Toasts />
    </LocationProvider>
  );
}

function Applications() {
  applicationId.value = undefined;
  return <ApplicationsPage />;
}

/** Goes on to the application that was open last, or to the list. */
function Start() {
  const { route } = useLocation();
  const named = useRoute().params['application'];
  useEffect(() => {
    const all = applications.value ?? [];
    const wanted = [named, lastApplication.value, all.length === 1 ? all[0]?.id : undefined];
    const known = wanted.find((id) => all.some((application) => application.id === id));
    route(known === undefined ? applicationsLink() : pageLink(known, HOME), true);
  }, []);
  return null;
}

function ApplicationPage() {
  const { params } = useRoute();
  const { application = '', page = '' } = params;
  const isKnown = applications.value?.some(({ id }) => id === application);
  if (!isKnown || !Object.hasOwn(PAGES, page)) return <NotFound />;
  applicationId.value = application;
  lastApplication.value = application;
  const Page = PAGES[page as keyof typeof PAGES];
  // Another application is another page: nothing of the one before may stay.
  return <Page key={application} objectId={params['object']} />;
}
