// Lets the server prove the account that came back, and shows its answer.
import { defineKalendsConnect } from '/kalends/connect/index.js';

const connect = document.querySelector('kalends-connect');

connect?.addEventListener('kalends-connected', async ({ detail }) => {
  const { endUserAccountId, state } = detail;
  const answer = await fetch('/mailboxes', { method: 'POST', body: JSON.stringify({ endUserAccountId, state }) });
  const { email, code } = await answer.json();
  if (!answer.ok) connect.result = { status: 'failed', code, description: null, state };
  else connect.querySelector('[slot=connected]')?.replaceChildren(`Connected: ${email}`);
});
connect?.addEventListener('kalends-error', ({ detail }) => console.info(detail.code, detail.description));

// Last: an element fires its events when it is registered.
defineKalendsConnect();
