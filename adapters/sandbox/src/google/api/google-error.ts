/** Reports a refusal with the HTTP status, the reason and the body of the Calendar API. */
export class GoogleError extends Error {
  override readonly name = 'GoogleError';

  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly options: { readonly domain?: string; readonly location?: string; readonly locationType?: string } = {},
  ) {
    super(message);
  }

  toResponse(): Response {
    const { domain = 'global', location, locationType } = this.options;
    const error = {
      domain,
      reason: this.reason,
      message: this.message,
      ...(location === undefined ? {} : { locationType: locationType ?? 'parameter', location }),
    };
    const body = { error: { errors: [error], code: this.status, message: this.message } };
    const headers: Record<string, string> =
      this.status === 401
        ? { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' }
        : {};
    return Response.json(body, { status: this.status, headers });
  }
}

export const badRequest = (message: string, location?: string): GoogleError =>
  new GoogleError(400, 'invalid', message, location === undefined ? {} : { location });

export const required = (message: string): GoogleError => new GoogleError(400, 'required', message);

export const notFound = (): GoogleError => new GoogleError(404, 'notFound', 'Not Found');

export const forbidden = (message = 'Forbidden', reason = 'forbidden'): GoogleError =>
  new GoogleError(403, reason, message);

export const invalidCredentials = (): GoogleError =>
  new GoogleError(401, 'authError', 'Invalid Credentials', { location: 'Authorization', locationType: 'header' });

export const conditionNotMet = (): GoogleError =>
  new GoogleError(412, 'conditionNotMet', 'Precondition Failed', { location: 'If-Match', locationType: 'header' });

export const fullSyncRequired = (): GoogleError =>
  new GoogleError(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.', {
    domain: 'calendar',
    location: 'syncToken',
  });
