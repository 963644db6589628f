// A booking, by the token in the address: move it, or cancel it.
import { call, Refusal } from './api.js';
import { byId, offer, say } from './elements.js';
import { createSlotPicker } from './slot-picker.js';
import { slotName } from './times.js';

/** @typedef {{ startDateTime: string, endDateTime: string }} Slot */

const token = location.pathname.slice('/booking/'.length);
const moveButton = byId('move');
const ask = /** @type {HTMLDialogElement} */ (byId('ask'));
let who = '';

const picker = createSlotPicker(byId('picker'), {
  loadSlots: (window) => call('GET', `slots?${new URLSearchParams({ who, ...window })}`),
  onChoose: move,
  onError: report,
});

/** @param {unknown} error */
function report(error) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'NotFound') {
    byId('booking').hidden = true;
    say('There is no such meeting any more.');
  } else say(error.message);
}

/** Shows the booking as it is now. */
async function show() {
  const booking = await call('GET', `bookings/${token}`);
  who = booking.who;
  byId('title').textContent = booking.title;
  byId('when').textContent = slotName(booking, picker.timeZone);
  byId('with').textContent = `With ${booking.host}`;
  byId('booking').hidden = booking.isCancelled;
  if (booking.isCancelled) say('The meeting was cancelled.');
}

/** @param {boolean} isOpen */
function showTimes(isOpen) {
  byId('other').hidden = !isOpen;
  moveButton.setAttribute('aria-expanded', String(isOpen));
}

moveButton.addEventListener('click', async () => {
  showTimes(Boolean(byId('other').hidden));
  if (byId('other').hidden) return;
  byId('other-title').focus();
  await picker.show();
});

/** @param {Slot} slot */
async function move({ startDateTime }) {
  say('');
  try {
    await call('PUT', `bookings/${token}`, { startDateTime, timeZone: picker.timeZone });
    showTimes(false);
    await show();
    say('The meeting is moved.');
    byId('title').focus();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SlotTaken') {
      offer(error, picker.timeZone, move);
      await picker.show();
    } else report(error);
  }
}

byId('cancel').addEventListener('click', () => ask.showModal());
ask.addEventListener('close', async () => {
  if (ask.returnValue !== 'cancel') return;
  try {
    await call('DELETE', `bookings/${token}`);
    byId('booking').hidden = true;
    showTimes(false);
    say('The meeting is cancelled.');
    byId('title').focus();
  } catch (error) {
    report(error);
  }
});

try {
  await show();
} catch (error) {
  report(error);
}
