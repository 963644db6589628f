import type { Credentials, TokenCredentials } from '../../src/model/index.ts';

/** Returns the tokens of an account with OAuth. @throws Error for other credentials */
export async function tokensOf(answer: Promise<Credentials>): Promise<TokenCredentials> {
  const credentials = await answer;
  if ('kind' in credentials) throw new Error(`These are no tokens but a ${credentials.kind}`);
  return credentials;
}
