// Parts of a page, and what it says.
import { slotButtons } from './slot-picker.js';

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Says something to everybody: it is read out, too. Slots are offered as buttons below it.
 * @param {string} text
 * @param {HTMLElement[]} [buttons]
 */
export function say(text, buttons = []) {
  const offers = document.createElement('div');
  offers.className = 'offers';
  offers.append(...buttons);
  byId('message').replaceChildren(text, ...(buttons.length === 0 ? [] : [offers]));
  if (buttons.length > 0) byId('message').scrollIntoView({ block: 'nearest' });
}

/**
 * Says that a slot is taken, and offers others.
 * @param {import('./api.js').Refusal} refusal
 * @param {string} timeZone
 * @param {(slot: { startDateTime: string, endDateTime: string }) => unknown} onChoose
 */
export function offer({ nextSlots }, timeZone, onChoose) {
  if (nextSlots.length === 0) say('Somebody was faster: this time is taken. Choose another one.');
  else say('Somebody was faster: this time is taken. Free next:', slotButtons(nextSlots, timeZone, onChoose, true));
}

/** Shows one of the page's sections, and goes to its heading. @param {string} id @param {readonly string[]} all */
export function showSection(id, all) {
  for (const each of all) byId(each).hidden = each !== id;
  byId(`${id}-title`).focus();
}
