import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { type Environment, fromEnvironment } from '../environment.ts';
import { ENGINE_FLAGS } from './engine-flags.ts';
import type { Field } from './fields.ts';
import { capitals } from './flag.ts';
import { follow } from './follow.ts';
import { type Inputs, type Operation, readInputs, requestOf, titleOf } from './operation.ts';
import { type Answer, localStage, openRemoteStage, type Stage } from './play.ts';
import { createInput, type Input, readBody } from './secret-input.ts';
import { type Body, jsonOf, printable, show } from './show.ts';
import { WAITING, waitFor } from './wait-for.ts';

interface Invocation {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  readonly env: Environment;
}

/**
 * Plays an operation of the administration, and prints its answer.
 * @returns the exit code: 0, or 1 for an error of the interface
 * @throws CommandError for arguments that cannot be used
 */
export async function runOperation(operation: Operation, invocation: Invocation, io: CommandIo): Promise<number> {
  const { values } = invocation;
  const input = createInput(io);
  const inputs = await readAllInputs(operation, invocation, input);
  const { confirm } = operation.route.command;
  if (confirm !== undefined && values['yes'] !== true && !(await input.confirm(filled(confirm, inputs.parameters)))) {
    throw new CommandError('Nothing was done.', 1, 'Declined');
  }
  if (operation.route.isStream === true) return await runStream(operation, inputs, invocation, input, io);
  const stage = await openStage(invocation, input);
  try {
    const answer = await playToTheEnd(operation, inputs, values, stage, io);
    if (answer.status >= 400) return printProblem(operation, inputs, answer.body, values, io);
    printAnswer(operation, inputs, answer.body, values, io);
    return isSuccess(operation, answer.body) ? 0 : 1;
  } finally {
    await stage.close();
  }
}

async function readAllInputs(
  operation: Operation,
  { values, positionals, env }: Invocation,
  input: Input,
): Promise<Inputs> {
  const file = values['body'] as string | undefined;
  const body = file === undefined ? undefined : await readBody(file, input);
  const inputs = readInputs(operation, { values, positionals, app: env['KALENDS_APP'], body });
  const secrets: Record<string, string> = {};
  for (const field of inputs.missingSecrets) secrets[field.name] = await readSecret(field, env, input);
  return { ...inputs, body: inputs.body && { ...inputs.body, ...secrets } };
}

async function readSecret({ name }: Field, env: Environment, input: Input): Promise<string> {
  const variable = `KALENDS_${capitals(name)}`;
  return fromEnvironment(variable, env) ?? (await input.readSecret(name, variable));
}

/** Follows a stream of a server: the process of a command would have none of its own. */
async function runStream(
  operation: Operation,
  inputs: Inputs,
  invocation: Invocation,
  input: Input,
  io: CommandIo,
): Promise<number> {
  const { values, env } = invocation;
  const url = serverUrlOf(invocation);
  if (url === undefined) {
    throw new CommandError(
      `"kalends ${operation.route.command.words}" shows what a running server does: give --url, or set KALENDS_ADMIN_URL`,
    );
  }
  const stage = await openRemoteStage(url, values, env, input);
  const problem = await follow(stage, requestOf(operation, inputs), io);
  return problem === undefined ? 0 : printProblem(operation, inputs, problem.body, values, io);
}

async function openStage(invocation: Invocation, input: Input): Promise<Stage> {
  const { values, env } = invocation;
  const url = serverUrlOf(invocation);
  if (url === undefined) {
    if (values['token-stdin'] === true) throw new CommandError('--token-stdin belongs to --url');
    return await localStage(values, env);
  }
  return await openRemoteStage(url, values, env, input);
}

/** Returns the URL of the server that a command is to ask; undefined for the database of the settings. */
function serverUrlOf({ values, env }: Invocation): string | undefined {
  const setting = ENGINE_FLAGS.find(({ name }) => values[name] !== undefined);
  const flag = values['url'] as string | undefined;
  if (flag !== undefined && setting !== undefined) {
    throw new CommandError(`--url and --${setting.name} exclude each other: a server has its own settings`);
  }
  return flag ?? (setting === undefined ? fromEnvironment('KALENDS_ADMIN_URL', env) : undefined);
}

/** Plays an operation: all pages with `--all`, and the background work that it begins with `--wait`. */
async function playToTheEnd(
  operation: Operation,
  inputs: Inputs,
  values: Invocation['values'],
  stage: Stage,
  io: CommandIo,
): Promise<Answer> {
  if (values['all'] === true) return await playAllPages(operation, inputs, stage);
  const request = requestOf(operation, inputs);
  const answer = await stage.play(request);
  const waiting = WAITING[operation.route.operationId];
  if (values['wait'] !== true || waiting === undefined || answer.status >= 400) return answer;
  return await waitFor(waiting, stage, request, answer, (line) => io.stderr.write(`${line}\n`));
}

async function playAllPages(operation: Operation, inputs: Inputs, stage: Stage): Promise<Answer> {
  const data: unknown[] = [];
  for (let query = inputs.query; ; ) {
    const answer = await stage.play(requestOf(operation, { ...inputs, query }));
    if (answer.status >= 400) return answer;
    data.push(...(answer.body['data'] as readonly unknown[]));
    const pageToken = answer.body['nextPageToken'];
    if (typeof pageToken !== 'string') return { ...answer, body: { ...answer.body, data } };
    query = { ...query, pageToken };
  }
}

function printAnswer(
  { route }: Operation,
  { parameters }: Inputs,
  body: Body,
  values: Invocation['values'],
  io: CommandIo,
): void {
  if (values['json'] === true) {
    io.stdout.write(`${jsonOf(body)}\n`);
    return;
  }
  const { columns, next } = route.command;
  // The progress has said that the object is gone.
  const isGone = values['wait'] === true && WAITING[route.operationId]?.gone !== undefined;
  if (body['success'] !== true && !isGone) io.stdout.write(show(body, columns));
  else if (next === undefined) io.stdout.write('Done.\n');
  // With --wait there is nothing left to look at.
  if (next !== undefined && values['wait'] !== true) io.stderr.write(`${filled(next, { ...parameters, ...body })}\n`);
  const { nextPageToken } = body;
  if (typeof nextPageToken === 'string') {
    // With a sign of equality: a token may begin with a dash.
    io.stderr.write(`There are more. Give --all, or for the next page: --page-token=${nextPageToken}\n`);
  }
}

/** Whether the answer is good news: a test of a client answers with its outcome. */
function isSuccess({ route }: Operation, body: Body): boolean {
  const { success } = route.command;
  return success === undefined || body[success.field] === success.value;
}

/** Prints a problem document in the words of the command line. */
function printProblem(
  operation: Operation,
  { parameters }: Inputs,
  problem: Body,
  values: Invocation['values'],
  io: CommandIo,
): number {
  if (values['json'] === true) {
    io.stderr.write(`${jsonOf(problem)}\n`);
    return 1;
  }
  const details = (problem['details'] ?? []) as readonly { readonly path: string; readonly message: string }[];
  const lines =
    details.length === 0
      ? [String(problem['message'] ?? problem['status'])]
      : details.map((detail) => detailText(operation, detail));
  for (const line of lines) io.stderr.write(`kalends: ${printable(line)}\n`);
  const advice = adviceOf(operation, parameters, problem);
  if (advice !== undefined) io.stderr.write(`${printable(advice)}\n`);
  return 1;
}

function detailText(
  operation: Operation,
  { path, message }: { readonly path: string; readonly message: string },
): string {
  if (path !== '') return `${titleOfPath(operation, path)} ${message}`;
  // A rule about the body as a whole names its fields.
  return `the command ${message.replace(/\w+/g, (word) => (operation.body.some(({ name }) => name === word) ? titleOf(operation, word) : word))}`;
}

/** Returns the flag of a path such as `redirectUrls.1`, and which of its values is meant. */
function titleOfPath(operation: Operation, path: string): string {
  const [name = '', ...rest] = path.split('.');
  const title = titleOf(operation, name);
  const index = Number(rest[0]);
  if (rest.length === 0) return title;
  return Number.isInteger(index) ? `${title}, value ${index + 1},` : `${title} ${rest.join('.')}`;
}

function adviceOf(
  { route }: Operation,
  { app }: Inputs['parameters'],
  { code, message, requestId }: Body,
): string | undefined {
  const [group] = route.command.words.split(' ');
  if (code === 'NotFound') {
    const isApplication = app === undefined || group === 'app' || /application/.test(String(message));
    return isApplication ? 'See: kalends app list' : `See: kalends ${group} list --app ${app}`;
  }
  if (code === 'Unauthorized') return "KALENDS_ADMIN_TOKEN is not the server's.";
  return code === 'InternalError' ? `The request id is ${requestId}.` : undefined;
}

/** Fills the `{names}` of a text. */
function filled(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
