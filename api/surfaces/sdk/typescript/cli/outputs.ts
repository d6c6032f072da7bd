import { access, constants, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { CallHelp } from '../../help.ts'
import type { Client } from '../client.ts'
import { writePath } from '../paths.ts'
import type { Binary, OutputFile } from '../types.ts'
import type { Run } from './operands.ts'
import type { Command } from './parse.ts'
import { UsageError } from './usage.ts'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/x-ndjson': 'ndjson',
  'application/octet-stream': 'bin',
  'application/vnd.apache.parquet': 'parquet',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'image/x-icon': 'ico',
}

const ALIASES: Readonly<Record<string, string>> = { jpg: 'jpeg', tif: 'tiff', htm: 'html', md: 'markdown', yml: 'yaml' }

/** Arguments that choose the format of the output. */
const FORMAT_ARGUMENTS = ['format', 'outFormat', 'to']

/** The ending of the output's name chooses its format, where the call can choose and was not told. */
export function chooseFormat(help: CallHelp, { input, output }: Command): Record<string, unknown> {
  const ending = extname(output ?? '')
    .slice(1)
    .toLowerCase()
  if (ending === '') return {}
  const argument = help.arguments.find(({ name, choices }) => choices && FORMAT_ARGUMENTS.includes(name))
  if (!argument || input[argument.name] !== undefined) return {}
  const choice = [ending, ALIASES[ending]].find(word => word !== undefined && argument.choices!.includes(word))
  return choice === undefined ? {} : { [argument.name]: choice }
}

/** Before anything is paid for: what is written there would be lost. A folder that `-o` itself names is made. */
export async function requireFolder(output: string | undefined): Promise<void> {
  if (output === undefined || output === '-' || output.endsWith('/')) return
  const folder = dirname(output)
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) throw new UsageError(`there is no folder ${folder} for -o: make it first`)
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) throw new UsageError(`nothing can be written into ${folder}: choose another place for -o`)
}

/** Several answers go into a folder: a pipe or a file would have them one behind the other, of which programs read the first. */
export async function requireSeveral(help: CallHelp, command: Command): Promise<void> {
  const { output, isJson, isQuote } = command
  const isPipe = output === '-' || (output === undefined && !process.stdout.isTTY)
  if (isPipe && help.isBytes && !isJson && !isQuote)
    throw new UsageError('several files cannot go into one pipe: choose a folder for them with -o')
  if (output === undefined || output === '-' || output.endsWith('/')) return
  const found = await stat(output).catch(() => undefined)
  if (extname(output) !== '' && !found?.isDirectory())
    throw new UsageError(`several files cannot go into ${output}: choose a folder with -o ${output}/`)
  command.output = `${output}/`
}

/** One call, and the files that the command reads or has written, none of which gets its content by accident. */
export interface WrittenRun extends Run {
  taken: Set<string>
}

export function listTaken(runs: readonly Run[]): Set<string> {
  return new Set(runs.flatMap(({ source }) => (source === undefined ? [] : [resolve(source)])))
}

/** Writes what a call has answered: files where `-o` says, bytes into a pipe, everything else as text. */
export async function writeResult(client: Client, result: unknown, run: WrittenRun, command: Command): Promise<void> {
  if (isBinary(result)) return writeBytes(result.bytes, result.contentType, run, command)
  if (typeof result === 'string') return writeBytes(new TextEncoder().encode(result), 'text/plain', run, command)
  const files = command.isJson ? [] : listFiles(result)
  if (command.output !== undefined && command.output !== '-') return saveFiles(client, listFiles(result), run, command)
  const isForPipe = files.length === 1 && (command.output === '-' || !process.stdout.isTTY)
  if (isForPipe) return writeToPipe(await client.download(files[0]!))
  const shown = command.isJson ? result : withoutInline(result)
  process.stdout.write(`${JSON.stringify(shown, null, command.isJson && !process.stdout.isTTY ? 0 : 2)}\n`)
}

function isBinary(result: unknown): result is Binary {
  return typeof result === 'object' && result !== null && 'bytes' in result && result.bytes instanceof Uint8Array
}

async function writeBytes(bytes: Uint8Array, contentType: string, run: WrittenRun, { output }: Command): Promise<void> {
  if (output !== undefined && output !== '-') {
    const path = await pathOf(output, { contentType } as OutputFile, run, '')
    await writePath(path, bytes)
    return report(path, bytes.length)
  }
  if (process.stdout.isTTY && !contentType.startsWith('text/'))
    throw new UsageError('the answer is bytes: write them to a file with -o, or into a pipe')
  await writeToPipe(bytes)
}

/** A pipe takes large content piece by piece. */
async function writeToPipe(bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
  })
}

async function saveFiles(
  client: Client,
  files: readonly OutputFile[],
  run: WrittenRun,
  command: Command,
): Promise<void> {
  if (files.length === 0) throw new UsageError('the answer has no file for -o: leave it out, or use --json')
  const output = files.length > 1 && !command.output!.endsWith('/') ? `${command.output}/` : command.output!
  for (const [index, file] of files.entries()) {
    const path = await pathOf(output, file, run, files.length > 1 ? `-${index + 1}` : '')
    await client.save(file, path)
    report(path, file.sizeBytes)
  }
}

/** The path itself, or in a folder a name like that of the input, with a number where another file has that name. */
async function pathOf(
  output: string,
  file: OutputFile,
  { source, taken }: WrittenRun,
  suffix: string,
): Promise<string> {
  const isFolder = output.endsWith('/') || ((await stat(output).catch(() => undefined))?.isDirectory() ?? false)
  if (!isFolder) return output
  await mkdir(output, { recursive: true })
  const stem = source === undefined ? 'output' : basename(source, extname(source))
  const nameIt = (number: string) => join(output, `${stem}${suffix}${number}.${endingOf(file.contentType)}`)
  let path = nameIt('')
  for (let count = 2; taken.has(resolve(path)); count++) path = nameIt(`-${count}`)
  taken.add(resolve(path))
  return path
}

function endingOf(contentType: string): string {
  const plain = contentType.split(';')[0]!.trim()
  return EXTENSIONS[plain] ?? /\/(?:x-)?([a-z0-9]+)$/.exec(plain)?.[1] ?? 'bin'
}

function report(path: string, sizeBytes: number): void {
  if (process.stderr.isTTY) process.stderr.write(`${path} (${sizeBytes.toLocaleString('en')} bytes)\n`)
}

/** The files of an answer, wherever in it they are. */
export function listFiles(value: unknown): OutputFile[] {
  if (Array.isArray(value)) return value.flatMap(listFiles)
  if (typeof value !== 'object' || value === null) return []
  if ('outputKey' in value && 'outputUrl' in value) return [value as OutputFile]
  return Object.values(value).flatMap(listFiles)
}

/** For readers: where files are, without their bytes. */
function withoutInline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInline)
  if (typeof value !== 'object' || value === null) return value
  const isFile = 'outputKey' in value
  const fields = Object.entries(value).filter(([name]) => !(isFile && name === 'inline'))
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutInline(inner)]))
}
