import type { Calendar, EndUserAccount } from 'kalends/model';
import { useEffect, useState } from 'preact/hooks';
import { ProblemError } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import type { Named, Person } from './question.ts';

/** Most calendars of an account that one query takes. */
const MOST_CALENDARS = 50;

/** An account that was chosen, as far as it has been read. */
export interface KnownAccount {
  readonly account: EndUserAccount;
  readonly calendars: readonly Calendar[];
}

interface State {
  readonly known: ReadonlyMap<string, KnownAccount>;
  readonly error: ProblemError | undefined;
}

async function readAccount(id: string, signal: AbortSignal): Promise<KnownAccount> {
  const encoded = encodeURIComponent(id);
  const account = await request<EndUserAccount>({ path: `/v1/endUserAccounts/${encoded}` }, signal);
  // An expired account has no calendars to choose from; the query says what is wrong with it.
  if (account.status !== 'ACTIVE') return { account, calendars: [] };
  const query = { limit: MOST_CALENDARS };
  const calendars: { readonly data: readonly Calendar[] } = await request(
    { path: `/v1/calendars/${encoded}`, query },
    signal,
  );
  return { account, calendars: calendars.data };
}

/** Reads accounts and their calendars, each once. */
export function usePeople(ids: readonly string[]) {
  const [{ known, error }, setState] = useState<State>({ known: new Map(), error: undefined });
  const [tries, setTries] = useState(0);
  const key = ids.join('\n');
  useEffect(() => {
    const reading = new AbortController();
    for (const id of ids.filter((each) => !known.has(each))) {
      readAccount(id, reading.signal).then(
        (account) => setState((before) => ({ ...before, known: new Map(before.known).set(id, account) })),
        (refusal) => {
          if (reading.signal.aborted) return;
          if (!(refusal instanceof ProblemError)) throw refusal;
          setState((before) => ({ ...before, error: refusal }));
        },
      );
    }
    return () => reading.abort();
  }, [key, tries]);
  return {
    known,
    error,
    retry() {
      setState({ known, error: undefined });
      setTries(tries + 1);
    },
  };
}

/** Returns how a query names people: by their addresses, numbered where two accounts have the same. */
export function namesOf(
  people: readonly Person[],
  known: ReadonlyMap<string, KnownAccount>,
): (person: Person) => Named {
  const names = new Map<string, Named>();
  const counts = new Map<string, number>();
  for (const { accountId } of people) {
    const { account, calendars = [] } = known.get(accountId) ?? {};
    const email = account?.email ?? accountId;
    const count = (counts.get(email) ?? 0) + 1;
    counts.set(email, count);
    const own = calendars.find(({ isPrimary }) => isPrimary) ?? calendars[0];
    names.set(accountId, { name: count === 1 ? email : `${email} (${count})`, timeZone: own?.timeZone });
  }
  return ({ accountId }) => names.get(accountId) ?? { name: accountId, timeZone: undefined };
}
