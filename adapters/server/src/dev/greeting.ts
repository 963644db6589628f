import type { Dev } from './dev-server.ts';
import { thisWeek } from './this-week.ts';

/** Returns the text that a person reads after the start: addresses, keys and commands to paste. */
export function greeting({ connection, siteUrl, dashboardUrl, clock }: Omit<Dev, 'stop'>): string {
  const { baseUrl, apiKey, adminToken, applicationId, sandboxUrl, accounts } = connection;
  const key = `-H 'x-api-key: ${apiKey}'`;
  const [first] = accounts;
  const week = thisWeek(clock.now());
  const body = JSON.stringify({
    email: first?.email,
    providerType: first?.providerType,
    refreshToken: first?.refreshToken,
  });
  const firstId = `$(curl -s '${baseUrl}/v1/endUserAccounts?search=${encodeURIComponent(first?.email ?? '')}' ${key} | grep -o 'acc_[0-9A-Za-z]*' | head -n 1)`;
  const mailboxes = accounts.map(
    ({ email, providerType, refreshToken }) =>
      `    ${providerType}  ${email}\n                refresh token ${refreshToken}`,
  );
  return `
kalends is ready.

  Base URL        ${baseUrl}
  API key         ${apiKey}
  Application id  ${applicationId}
  Admin token     ${adminToken}
  Dashboard       ${dashboardUrl}  (signs you in, once)
  API page        ${siteUrl}/docs
  Sandbox         ${sandboxUrl}  (both providers, on this machine)
  Metrics         ${siteUrl}/metrics

  Mailboxes in the sandbox
${mailboxes.join('\n')}

1. Connect the first mailbox:
   curl -s '${baseUrl}/v1/endUserAccounts' ${key} -H 'content-type: application/json' -d '${body}'

2. List its calendars:
   curl -s "${baseUrl}/v1/calendars/${firstId}" ${key}

3. List this week's events of its primary calendar, occurrences included:
   curl -s "${baseUrl}/v1/events/${firstId}/${encodeURIComponent(first?.email ?? '')}?expandRecurrences=true&orderBy=startDateTime&startDateTime=${week.startDateTime}&endDateTime=${week.endDateTime}" ${key}

4. As the operator, read the audit log (the admin token opens ${baseUrl}/admin/v1, and nothing else):
   curl -s '${baseUrl}/admin/v1/auditLog?limit=10' -H 'authorization: Bearer ${adminToken}'
   KALENDS_ADMIN_TOKEN=${adminToken} npx kalends audit list --limit 10 --url ${baseUrl}

Or connect in a browser: ${baseUrl}/v1/oauth/authorize/${applicationId}/${first?.providerType.toLowerCase()}
Or run "npm run tour" in another terminal: it plays the whole story. Ctrl-C stops the server.
`;
}
