import { type AccountService, type Caller, KalendsError } from 'kalends';
import { accountConnect, parseInput } from 'kalends/model';

/**
 * Connects an account by a user name and an app password, or by the URL of a feed. Errors name the fields of `AccountConnect`.
 * @throws KalendsError as `accounts.upsert`
 */
export async function connectAccount(
  accounts: AccountService,
  caller: Caller,
  body: unknown,
): ReturnType<AccountService['upsert']> {
  const { serverUrl, username, password, ...account } = parseInput(accountConnect, body);
  const ofServer = serverUrl === undefined ? {} : { serverUrl };
  const credentials =
    username === undefined && password === undefined
      ? { kind: 'url' as const, url: serverUrl ?? '' }
      : { kind: 'password' as const, ...ofServer, username: username ?? '', password: password ?? '' };
  try {
    return await accounts.upsert(caller, { ...account, credentials });
  } catch (error) {
    throw KalendsError.isInstance(error) ? renamed(error, credentials.kind) : error;
  }
}

/** Of a provider that takes neither an app password nor the URL of a feed. */
const ELSEWHERE = 'takes bearer tokens alone; its accounts are connected by POST /v1/endUserAccounts';

/** Returns the error with the fields of the flat body. */
function renamed(error: KalendsError, kind: 'password' | 'url'): KalendsError {
  const { code, status, details, retryAfterMs } = error;
  if (details === undefined) return error;
  const own = details.flatMap(({ path, message }) => {
    if (path === 'credentials.kind') {
      if (!/password|url/.test(message)) return [{ path: 'providerType', message: ELSEWHERE }];
      return [
        { path: 'username', message: kind === 'url' ? 'is required by this provider' : 'is not for this provider' },
      ];
    }
    if (path === 'credentials.url') return [{ path: 'serverUrl', message }];
    if (path.startsWith('credentials.')) return [{ path: path.slice('credentials.'.length), message }];
    if (path !== 'credentials') return [{ path, message }];
    // The answer to a failed sign-in is about all of them.
    return code === 'InvalidCredentials' ? [] : [{ path: 'providerType', message: 'must be a provider without OAuth' }];
  });
  const message = own.map((detail) => `${detail.path}: ${detail.message}`).join('; ') || error.message;
  return new KalendsError(code, message, {
    status,
    cause: error,
    ...(own.length === 0 ? {} : { details: own }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
