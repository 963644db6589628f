import type { SlotObstacle } from 'kalends/model';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { rangeOf } from './written-slots.ts';

const texts = availabilityTexts.slot;

/** Returns an obstacle in words, with times in the zone of the question; days other than `date` are named. */
export function obstacleWords({ code, text, participantId, start, end }: SlotObstacle, date: string): string {
  if (start !== undefined && end !== undefined && (code === 'busy' || code === 'buffer' || code === 'min-gap')) {
    return texts[code](rangeOf(start.dateTime, end.dateTime, date));
  }
  // The interface's own sentence; a person's name stands beside it already.
  const words = participantId !== undefined && text.startsWith(participantId) ? text.slice(participantId.length) : text;
  const sentence = words.trim().replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):00[+-]\d\d:\d\d/g, '$1 $2');
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}`;
}
