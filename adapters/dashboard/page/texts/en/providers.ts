/** Names of the providers that the standalone server registers; another name is shown as it is. */
const NAMES: Readonly<Record<string, string>> = {
  PROVIDER_A: 'Google',
  PROVIDER_B: 'Microsoft',
  CALDAV: 'CalDAV',
  ICLOUD: 'iCloud',
  ICS: 'Calendar feed',
};

/** Returns what people call the provider of a `providerType`. */
export function providerName(providerType: string): string {
  return NAMES[providerType] ?? providerType;
}

/** Steps in a provider's own console that lead to an OAuth client, in order. */
export const CONSOLE_STEPS: Readonly<Record<string, { readonly url: string; readonly steps: readonly string[] }>> = {
  Google: {
    url: 'https://console.cloud.google.com/',
    steps: [
      'Create a project, and enable the Google Calendar API under APIs & Services → Library.',
      'Google Auth Platform → Branding: name, support address, contact address.',
      'Audience: Internal if all users are in your Workspace, else External. While it is in Testing, add each test user.',
      'Data access: add openid, …/auth/userinfo.email and …/auth/calendar.',
      'Clients → Create client → Web application: add the redirect URI above, then copy id and secret to here.',
    ],
  },
  Microsoft: {
    url: 'https://entra.microsoft.com/',
    steps: [
      'App registrations → New registration. The supported account types decide the tenant below.',
      'Redirect URI: platform Web, with the redirect URI above.',
      'Certificates & secrets → New client secret: copy its Value (not its Secret ID), and note the day on which it ends.',
      'API permissions → Microsoft Graph → Delegated: Calendars.ReadWrite, Calendars.ReadWrite.Shared, User.Read, offline_access.',
    ],
  },
};
