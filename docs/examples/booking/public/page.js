// Choose a time, have it kept while the form is filled in, confirm.
import { call, Refusal } from './api.js';
import { byId, offer, say, showSection } from './elements.js';
import { createSlotPicker } from './slot-picker.js';
import { slotName } from './times.js';

/** @typedef {{ startDateTime: string, endDateTime: string }} Slot */

const SECTIONS = ['choose', 'details', 'done'];
const who = /** @type {HTMLSelectElement} */ (byId('who'));
const form = /** @type {HTMLFormElement} */ (byId('form'));
const confirmButton = /** @type {HTMLButtonElement} */ (form.querySelector('.primary'));

/** @type {{ id: string, slot: Slot, endsAt: number, isEnding: boolean } | undefined} */
let hold;

const picker = createSlotPicker(byId('picker'), {
  loadSlots: (window) => call('GET', `slots?${new URLSearchParams({ who: who.value, ...window })}`),
  onChoose: choose,
  onError: report,
});

/** @param {unknown} error */
function report(error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
}

/** Takes a slot, and asks who the person is. @param {Slot} slot */
async function choose(slot) {
  say('');
  try {
    const input = { who: who.value, startDateTime: slot.startDateTime, timeZone: picker.timeZone };
    const { id, host, expiresInSeconds, ...held } = await call('POST', 'holds', input);
    // Counted from here: the clock of the person may be wrong.
    hold = { id, slot: held, endsAt: performance.now() + expiresInSeconds * 1_000, isEnding: false };
    byId('details-title').textContent = slotName(held, picker.timeZone);
    byId('with').textContent = `With ${[...who.options].find(({ value }) => value === host)?.text ?? 'the team'}`;
    tick();
    showSection('details', SECTIONS);
  } catch (error) {
    refuse(error);
  }
}

/** @param {unknown} error */
function refuse(error) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code !== 'SlotTaken' && error.code !== 'HoldExpired') return say(error.message);
  backToTimes();
  if (error.code === 'HoldExpired') say('The time is not kept any more. Choose it again, or another one.');
  else offer(error, picker.timeZone, choose);
}

/** Goes back to the times. What the person has typed stays. */
function backToTimes() {
  hold = undefined;
  showSection('choose', SECTIONS);
  void picker.show();
}

/** Shows how long the slot is kept, and gives up when that is over. */
function tick() {
  if (hold === undefined) return;
  const seconds = Math.ceil((hold.endsAt - performance.now()) / 1_000);
  if (seconds <= 0) {
    backToTimes();
    say('The time is not kept any more. Choose it again, or another one.');
    return;
  }
  byId('left').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  if (seconds > 60 || hold.isEnding) return;
  hold.isEnding = true;
  say('The time is kept for less than a minute.');
}
setInterval(tick, 1_000);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (hold === undefined) return;
  const { id, slot } = hold;
  confirmButton.disabled = true;
  say('');
  try {
    const { token } = await call('POST', `holds/${id}/confirm`, Object.fromEntries(new FormData(form)));
    hold = undefined;
    byId('booked').textContent = slotName(slot, picker.timeZone);
    /** @type {HTMLAnchorElement} */ (byId('manage')).href = `/booking/${token}`;
    showSection('done', SECTIONS);
  } catch (error) {
    refuse(error);
  } finally {
    confirmButton.disabled = false;
  }
});

byId('back').addEventListener('click', () => {
  const released = hold?.id;
  hold = undefined;
  // Best effort: it is free by itself when its minutes are over.
  if (released !== undefined)
    void call('DELETE', `holds/${released}`)
      .catch(() => undefined)
      .then(() => picker.show());
  showSection('choose', SECTIONS);
});

who.addEventListener('change', () => picker.show());
try {
  for (const { id, name } of await call('GET', 'hosts')) who.add(new Option(name, id));
  await picker.show();
} catch (error) {
  report(error);
}
