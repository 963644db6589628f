import { computed, signal } from '@preact/signals';
import type { Application } from 'kalends/model';
import type { ProblemError } from '../api/problem.ts';

/** Who uses the page, and facts about the server: the answer of `session`. */
export interface Session {
  readonly isSignedIn: boolean;
  readonly administratorId: string | null;
  /** False where the host signs people in. */
  readonly canSignIn: boolean;
  readonly signInUrl: string | null;
  readonly providerTypes: readonly string[];
  /** Those that need an OAuth client. */
  readonly oauthProviderTypes: readonly string[];
  readonly apiUrl: string | null;
  readonly docsUrl: string | null;
  readonly isDemo: boolean;
}

export const session = signal<Session | undefined>(undefined);
/** Why the sign-in link of the address was refused. */
export const linkError = signal<ProblemError | undefined>(undefined);
export const applications = signal<readonly Application[] | undefined>(undefined);
/** The application in the page's address. */
export const applicationId = signal<string | undefined>(undefined);
export const application = computed(() => applications.value?.find(({ id }) => id === applicationId.value));
