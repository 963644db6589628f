import type { Application } from 'kalends/model';
import { ProblemError } from '../api/problem.ts';
import { request } from '../api/request.ts';
import { readDemoClock } from './demo-clock.ts';
import { applications, linkError, type Session, session } from './session.ts';

/** Reads who is signed in; uses up the code of a sign-in link first, and removes it from the address. */
export async function loadSession(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      await request({ method: 'POST', path: '/session', body: { code } });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      linkError.value = error;
    }
  }
  const found = await request<Session>({ path: '/session' });
  if (found.isSignedIn) {
    // Times are those of the server; without its clock they are the browser's.
    const clock = found.isDemo ? readDemoClock().catch(() => undefined) : undefined;
    await Promise.all([clock, loadApplications()]);
  }
  // Last: pages are shown from here on, and the start page chooses among the applications.
  session.value = found;
}

export async function signIn(token: string): Promise<void> {
  await request({ method: 'POST', path: '/session', body: { token } });
  await loadSession();
}

export async function signOut(): Promise<void> {
  await request({ method: 'DELETE', path: '/session' });
  if (session.value !== undefined) session.value = { ...session.value, isSignedIn: false };
}

/** Reads the applications anew, for the switcher. */
export async function loadApplications(): Promise<void> {
  const all: Application[] = [];
  let pageToken: string | null = null;
  do {
    const page: { data: Application[]; nextPageToken: string | null } = await request({
      path: '/admin/v1/applications',
      query: { limit: 200, ...(pageToken === null ? {} : { pageToken }) },
    });
    all.push(...page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== null && all.length < 1_000);
  applications.value = all;
}
