import type { Dev } from './dev-server.ts';
import type { DevMailbox } from './dev-state.ts';
import { thisWeek } from './this-week.ts';

/** Returns the text that a person reads after the start: addresses, keys and commands to paste. */
export function greeting({ connection, siteUrl, dashboardUrl, clock }: Omit<Dev, 'stop'>): string {
  const { baseUrl, apiKey, adminToken, applicationId, sandboxUrl, accounts, ownServer } = connection;
  const key = `-H 'x-api-key: ${apiKey}'`;
  const [first] = accounts;
  const week = thisWeek(clock.now());
  const connect = (mailbox: DevMailbox | undefined) =>
    `curl -s '${baseUrl}/v1/endUserAccounts' ${key} -H 'content-type: application/json' -d '${JSON.stringify(mailbox)}'`;
  const own =
    ownServer === undefined
      ? ''
      : `\n  Connected     CALDAV      ${ownServer.email}\n                ${ownServer.id}, at ${ownServer.serverUrl}\n`;
  const firstId = `$(curl -s '${baseUrl}/v1/endUserAccounts?search=${encodeURIComponent(first?.email ?? '')}' ${key} | grep -o 'acc_[0-9A-Za-z]*' | head -n 1)`;
  return `
kalends is ready.

  Base URL        ${baseUrl}
  API key         ${apiKey}
  Application id  ${applicationId}
  Admin token     ${adminToken}
  Dashboard       ${dashboardUrl}  (signs you in, once)
  API page        ${siteUrl}/docs
  Sandbox         ${sandboxUrl}  (all three providers, on this machine)
  Metrics         ${siteUrl}/metrics
  Agents (MCP)    ${siteUrl}/mcp  (the API key as bearer), or: npx kalends mcp

  Mailboxes in the sandbox
${accounts.map(mailboxLines).join('\n')}
${own}
1. Connect the first mailbox:
   ${connect(first)}

2. List its calendars:
   curl -s "${baseUrl}/v1/calendars/${firstId}" ${key}

3. List this week's events of its primary calendar, occurrences included:
   curl -s "${baseUrl}/v1/events/${firstId}/${encodeURIComponent(first?.email ?? '')}?expandRecurrences=true&orderBy=startDateTime&startDateTime=${week.startDateTime}&endDateTime=${week.endDateTime}" ${key}

4. Connect the CalDAV mailbox, which has an app password in place of OAuth:
   ${connect(accounts.find((mailbox) => 'credentials' in mailbox))}

5. As the operator, read the audit log (the admin token opens ${baseUrl}/admin/v1, and nothing else):
   curl -s '${baseUrl}/admin/v1/auditLog?limit=10' -H 'authorization: Bearer ${adminToken}'
   KALENDS_ADMIN_TOKEN=${adminToken} npx kalends audit list --limit 10 --url ${baseUrl}

Or connect in a browser: ${baseUrl}/v1/oauth/authorize/${applicationId}/${first?.providerType.toLowerCase()}
Or run "npm run tour" in another terminal: it plays the whole story. Ctrl-C stops the server.
`;
}

function mailboxLines(mailbox: DevMailbox): string {
  const secret =
    'refreshToken' in mailbox
      ? `refresh token ${mailbox.refreshToken}`
      : `app password  ${mailbox.credentials.password}, at ${mailbox.credentials.serverUrl}`;
  return `    ${mailbox.providerType.padEnd(10)}  ${mailbox.email}\n                ${secret}`;
}
