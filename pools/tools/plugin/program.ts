import { realpathSync } from 'node:fs'
import { extname, join } from 'node:path'
import { mapFiles, type Outcome, Problem } from '#kit'
import { type PluginDeclaration, toLine } from '../../../tasks/engines/plugin/declaration.ts'
import { listPlaceholders } from '../../../tasks/engines/plugin/manifest.ts'
import type { PlainFile } from '../../file-readers.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { checkResult, describeFailure, openCode } from './outcome.ts'

/** With this exit code, that of `EX_DATAERR`, a program refuses its input; the last line of its errors is the reason. */
const REFUSED = 65
const MAX_RESULT_BYTES = 4 * 2 ** 20
/** The kernel takes no longer argument. */
const MAX_ARGUMENT_BYTES = 100_000
const MAX_REASON_LENGTH = 200

type Program = NonNullable<PluginDeclaration['program']>

/** Runs programs of operators, confined as ours are. They see their own folder and that of the job. */
export function bind(context: HostContext) {
  return {
    run: (version: string, declaration: PluginDeclaration, input: unknown) =>
      runProgram(context, version, declaration, input),
  }
}

async function runProgram(
  context: HostContext,
  version: string,
  declaration: PluginDeclaration,
  input: unknown,
): Promise<Outcome<unknown>> {
  const folder = await openCode(context, version)
  const program = declaration.program!
  const names: string[] = []
  const given = (await mapFiles(declaration.input, input, async file => {
    const name = await addInputFile(context, (file as PlainFile).path, nameInput(file as PlainFile, names.length))
    names.push(name)
    return name
  })) as Record<string, unknown>
  const [command, ...args] = fillCommand(program, given)
  try {
    const { code, stdout, stderr } = await context.programs.run(context, findProgram(command!, folder), args, {
      readOnly: names.map(name => name.slice(2)),
      stdin: Buffer.from(JSON.stringify(given)),
      dataMb: program.memoryMb,
      processes: program.processes,
      stdoutLimitBytes: MAX_RESULT_BYTES + 1,
      visible: [folder, ...(command === 'node' ? [realpathSync(process.execPath)] : [])],
    })
    if (code === REFUSED) throw new Problem('PLUGIN_REFUSED', { reason: lastLine(stderr) || 'It gave no reason.' })
    if (code !== 0) throw new Error(`exit code ${code} ${lastLine(stderr)}`)
    return { result: checkResult(declaration, await readResult(context, program, stdout)) }
  } catch (error) {
    throw describeFailure(context, { version, name: declaration.name }, error)
  }
}

/** Many programs look at the ending of a name. */
function nameInput({ name = '' }: PlainFile, index: number): string {
  const ending = extname(name)
  return `input-${index}${/^\.\w{1,10}$/.test(ending) ? ending : ''}`
}

/** `./` is the folder of the program, `node` ours, and any other name one of the system. */
function findProgram(command: string, folder: string): string {
  if (command === 'node') return realpathSync(process.execPath)
  return command.startsWith('./') ? join(folder, command) : command
}

/** An argument with the placeholder of a field that was not given is left out. */
function fillCommand({ command, outputs }: Program, given: Record<string, unknown>): string[] {
  const values: Record<string, unknown> = {
    ...given,
    ...Object.fromEntries(Object.entries(outputs).map(([field, { name }]) => [field, `./${name}`])),
  }
  return command
    .filter(argument => listPlaceholders(argument).every(name => values[name] !== undefined))
    .map(argument =>
      argument.replaceAll(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (_, name: string) => toArgument(name, values[name])),
    )
}

function toArgument(field: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)
    throw new Problem('INVALID_PARAM', { field, max: MAX_ARGUMENT_BYTES, actual: Buffer.byteLength(text) })
  if (text.includes('\0')) throw new Problem('INVALID_PARAM', { field, reason: 'must have no NUL' })
  return text
}

async function readResult(context: HostContext, program: Program, stdout: string): Promise<Record<string, unknown>> {
  const result = program.printsResult ? parseResult(stdout) : {}
  for (const [field, { name, type: contentType }] of Object.entries(program.outputs)) {
    const path = await checkOutputFile(context, join(context.folder, name), 'plugin')
    result[field] = { path, contentType, name }
  }
  return result
}

function parseResult(stdout: string): Record<string, unknown> {
  if (Buffer.byteLength(stdout) > MAX_RESULT_BYTES) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_RESULT_BYTES })
  const result: unknown = JSON.parse(stdout)
  if (typeof result !== 'object' || result === null) throw new Error('it printed no JSON object')
  return result as Record<string, unknown>
}

function lastLine(text: string): string {
  return toLine(text.trim().split('\n').at(-1) ?? '').slice(0, MAX_REASON_LENGTH)
}
