import assert from 'node:assert/strict';
import { KalendsError } from 'kalends/ports';

/** Checks that a call of this method rejects, with this code if one is given. */
export async function rejection(method: string, call: Promise<unknown>, code?: KalendsError['code']): Promise<void> {
  const wanted = code === undefined ? 'a rejection' : `a rejection as ${code}`;
  const error = await call.then(
    (result) => assert.fail(`${method}: ${wanted} was expected, not ${JSON.stringify(result)?.slice(0, 300)}`),
    (failure: unknown) => failure,
  );
  if (code === undefined) return;
  if (!KalendsError.isInstance(error)) throw error;
  assert.equal(error.code, code, `${method}: ${wanted} was expected, not ${error.code} (${error.message})`);
}
