// Calls of this site's own server.

/** A refused call. `nextSlots` are times that are free in place of a taken one. */
export class Refusal extends Error {
  /** @param {{ code?: string, message?: string, nextSlots?: { startDateTime: string, endDateTime: string }[] }} body */
  constructor({ code = 'Unavailable', message = 'Something went wrong. Try again.', nextSlots = [] }) {
    super(message);
    this.code = code;
    this.nextSlots = nextSlots;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
export async function call(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const init = method === 'GET' ? {} : { method, headers, body: JSON.stringify(body ?? {}) };
  let answer;
  try {
    answer = await fetch(`/api/${path}`, init);
  } catch {
    throw new Refusal({ message: 'The connection is lost. Try again.' });
  }
  const result = await answer.json();
  if (!answer.ok) throw new Refusal(result);
  return result;
}
