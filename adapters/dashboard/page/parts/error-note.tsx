import type { ProblemError } from '../api/problem.ts';
import { common } from '../texts/en/frame.ts';
import { Button } from './button.tsx';
import { CopyId } from './copy.tsx';

const ERRORS_PAGE = 'https://github.com/kalends/kalends/blob/main/docs/errors.md';

interface ErrorNoteProps {
  readonly error: ProblemError | undefined;
  readonly onRetry?: (() => unknown) | undefined;
}

/** A refusal: the interface's own sentence, the request id, and the way out. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps) {
  if (error === undefined) return null;
  const { code, details = [], message, requestId } = error;
  return (
    <div class="note bad" role="alert">
      <p>{message}</p>
      {details.length > 1 ? (
        <ul>
          {details.map(({ path, message: rule }) => (
            <li key={path}>
              <code>{path}</code>: {rule}
            </li>
          ))}
        </ul>
      ) : null}
      <div class="row small">
        {onRetry === undefined ? null : <Button onClick={onRetry}>{common.retry}</Button>}
        {code === 'Offline' ? null : (
          <a href={`${ERRORS_PAGE}#${code.toLowerCase()}`} target="_blank" rel="noreferrer">
            {code}: {common.whatToDo}
          </a>
        )}
        {requestId === undefined ? null : (
          <span class="row">
            {common.requestId} <CopyId id={requestId} what={common.requestId} />
          </span>
        )}
      </div>
    </div>
  );
}
