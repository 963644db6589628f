const CODES: Readonly<Record<number, string>> = { 400: 'InvalidRequest', 404: 'NotFound', 409: 'Conflict' };

/** Returns a refusal of a control in the form of the interface's problems: each `field: rule` is a detail. */
export function refusal(status: number, message: string): Response {
  const details = message.split('; ').flatMap((part) => {
    const [, path, rule] = /^([\w.]+): (.+)$/s.exec(part) ?? [];
    return path === undefined || rule === undefined ? [] : [{ path, message: rule }];
  });
  const body = { status, code: CODES[status] ?? 'InvalidRequest', message, ...(details.length > 0 ? { details } : {}) };
  return Response.json(body, { status });
}

export const badInput = (message: string): Response => refusal(400, message);
