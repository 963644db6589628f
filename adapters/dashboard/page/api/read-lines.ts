import { below } from './request.ts';

/**
 * Reads lines of JSON from an answer that goes on for a while, and hands over each as it comes. Resolves at the end of the answer,
 * also when the connection breaks.
 */
export async function readLines<Line>(path: string, take: (line: Line) => void, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(below(path), { headers: { 'x-kalends-dashboard': '1' }, signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line) as Line);
    }
  } catch (error) {
    if (signal.aborted || error instanceof TypeError) return;
    throw error;
  }
}
