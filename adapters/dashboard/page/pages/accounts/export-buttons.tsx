import { useRef, useState } from 'preact/hooks';
import type { Call } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { announce } from '../../parts/toasts.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { type ExportFormat, readAll, textOf } from './export-accounts.ts';

const texts = accountsTexts.export;
const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;

/** Exports all accounts that match, with a count while they are read, and a way to stop. */
export function ExportButtons({ call }: { readonly call: Call }) {
  const [count, setCount] = useState(0);
  const reading = useRef<AbortController>(undefined);
  const run = useAction(async (format: ExportFormat) => {
    const mine = new AbortController();
    reading.current = mine;
    setCount(0);
    try {
      const all = await readAll(call, setCount, mine.signal);
      saveFile(`accounts.${format}`, TYPES[format], textOf(all, format));
      announce(texts.done(all.length));
    } catch (error) {
      if (!mine.signal.aborted) throw error;
    }
  });
  return (
    <>
      {run.isRunning ? (
        <span class="row small" role="status">
          {texts.running(count)}
          <Button onClick={() => reading.current?.abort()}>{texts.stop}</Button>
        </span>
      ) : (
        <>
          <Button icon="download" onClick={() => run.run('csv')}>
            {texts.csv}
          </Button>
          <Button icon="download" onClick={() => run.run('json')}>
            {texts.json}
          </Button>
        </>
      )}
      <ErrorNote error={run.error} />
    </>
  );
}
