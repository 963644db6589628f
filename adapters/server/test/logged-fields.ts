import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LEVELS = ['debug', 'info', 'warn', 'error'];

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(ROOT, folder, file));
}

/** Whether a call is of a method of a Logger. */
function isLogging(call: ts.CallExpression, checker: ts.TypeChecker): boolean {
  if (!ts.isPropertyAccessExpression(call.expression) || !LEVELS.includes(call.expression.name.text)) return false;
  const declaration = checker.getResolvedSignature(call)?.parameters[1]?.valueDeclaration;
  return declaration !== undefined && ts.isParameter(declaration) && declaration.type?.getText() === 'LogFields';
}

/** Returns the names of the fields that the sources give to a Logger, as their types tell, with a place where each is logged. */
export function loggedFields(): ReadonlyMap<string, string> {
  const adapters = readdirSync(join(ROOT, 'adapters')).map((name) => `adapters/${name}/src`);
  const files = ['src', ...adapters].flatMap(sourcesOf);
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files }, ts.sys, ROOT);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const fields = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !isLogging(node, checker)) return;
    const [, given] = node.arguments;
    if (given === undefined) return;
    const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
    const place = `${node.getSourceFile().fileName.slice(ROOT.length)}:${line + 1}`;
    const type = checker.getTypeAtLocation(given);
    for (const part of type.isUnion() ? type.types : [type]) {
      for (const property of checker.getPropertiesOfType(part)) fields.set(property.name, place);
      if (checker.getIndexInfosOfType(part).length > 0) fields.set('a name that its type does not tell', place);
    }
  };
  for (const file of program.getSourceFiles()) if (files.includes(file.fileName)) visit(file);
  return fields;
}
