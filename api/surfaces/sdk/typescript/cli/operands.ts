import { fstatSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ClientCall } from '../../calls.ts'
import type { CallHelp } from '../../help.ts'
import { CoinopError } from '../errors.ts'
import { type Command, readValue } from './parse.ts'
import { optionOf, UsageError } from './usage.ts'

/** One call to make, and the file after which its output is named. */
export interface Run {
  input: Record<string, unknown>
  source: string | undefined
}

const STDIN = '-'

/** The calls that a command stands for: one, or one for each file where the call takes a single one. */
export async function listRuns(call: ClientCall, help: CallHelp, command: Command): Promise<Run[]> {
  const operands = await expandPaths(call, command.operands)
  const fileNames = call.files.filter(path => !path.includes('.'))
  const listName = call.files.find(path => path.endsWith('.*') && path.indexOf('.') === path.length - 2)?.slice(0, -2)
  const open = help.arguments.filter(({ name }) => command.input[name] === undefined)
  const wanted = open.filter(({ name, isRequired }) => fileNames.includes(name) && isRequired)
  const places = wanted.length > 0 ? wanted : open.filter(({ name }) => name === 'file' && fileNames.includes(name))
  const given = operands.length === 0 && places.some(({ isRequired }) => isRequired) && isPiped() ? [STDIN] : operands
  if (given.length === 0) return [withSource({ ...command.input }, undefined)]
  const [text] = given
  if (text !== undefined && given.length === 1 && (await isText(text, help, command)))
    return [withSource({ ...command.input, text }, undefined)]
  if (places.length === 1) return given.map(path => fillFile(command, places[0]!.name, path))
  if (places.length > 1) return [fillEach(command, places, given)]
  const isList = listName !== undefined && command.input[listName] === undefined
  if (isList && (listName === 'files' || help.arguments.find(({ name }) => name === listName)?.isRequired))
    return [withSource({ ...command.input, [listName]: given.map(openOperand) }, given[0])]
  return [fillValues(command, help, given)]
}

function fillFile({ input }: Command, name: string, path: string): Run {
  return withSource({ ...input, [name]: openOperand(path) }, path)
}

function fillEach({ input }: Command, places: CallHelp['arguments'], given: readonly string[]): Run {
  if (given.length > places.length)
    throw new UsageError(`it takes ${places.length} files, ${places.map(({ name }) => name).join(' and ')}`)
  const files = given.map((path, index) => [places[index]!.name, openOperand(path)])
  return withSource({ ...input, ...Object.fromEntries(files) }, given[0])
}

/** Without files, operands are the values that the call needs, in the order of its help. */
function fillValues({ input }: Command, help: CallHelp, given: readonly string[]): Run {
  const places = help.arguments.filter(({ name, isRequired }) => isRequired && input[name] === undefined)
  if (given.length > places.length) {
    const takes = places.map(({ name }) => `--${optionOf(name)}`).join(' ')
    throw new UsageError(`${given[places.length]} is one operand too many${takes && `: it takes ${takes}`}`)
  }
  const values = given.map((text, index) => {
    const { name, type, items } = places[index]!
    return [name, type === 'list' ? [readValue(name, items ?? 'string', text)] : readValue(name, type, text)]
  })
  return withSource({ ...input, ...Object.fromEntries(values) }, undefined)
}

function withSource(input: Record<string, unknown>, source: string | undefined): Run {
  const files = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === STDIN ? process.stdin : value]),
  )
  return { input: files, source: source === STDIN ? undefined : source }
}

/** What is no file is the text itself, for calls that take either. */
async function isText(operand: string, help: CallHelp, { input }: Command): Promise<boolean> {
  const takesText = help.arguments.some(({ name, type }) => name === 'text' && type === 'string')
  if (!takesText || input.text !== undefined || typeof openOperand(operand) !== 'string') return false
  return (await stat(operand).catch(() => undefined)) === undefined
}

/** A path, an address on the web, or the standard input. */
function openOperand(text: string): unknown {
  if (text === STDIN) return process.stdin
  return /^https?:\/\//.test(text) ? new URL(text) : text
}

/** What is piped into a command that the service refuses because it needs a text or a file, and got neither. */
export function openPiped(call: ClientCall, { operands }: Command, { input }: Run, error: unknown) {
  const oneOf = error instanceof CoinopError && error.code === 'MISSING_FIELD' ? error.hints.oneOf : undefined
  const name = Array.isArray(oneOf) ? call.files.find(file => oneOf.includes(file)) : undefined
  const isFree = operands.length === 0 && !Object.values(input).includes(process.stdin)
  return name !== undefined && isFree && isPiped() ? { [name]: process.stdin } : undefined
}

/** Whether something is written into this program: a pipe or a file, and not a terminal or nothing. */
function isPiped(): boolean {
  try {
    const facts = fstatSync(0)
    return facts.isFIFO() || facts.isFile()
  } catch {
    return false
  }
}

/** Folders stand for the files in them, and patterns that the shell has left for the files that match. */
async function expandPaths({ files }: ClientCall, operands: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [...operands]
  return (await Promise.all(operands.map(expandPath))).flat()
}

async function expandPath(path: string): Promise<string[]> {
  const facts = await stat(path).catch(() => undefined)
  if (facts?.isDirectory()) return listFiles(path, () => true)
  if (facts || !/[*?]/.test(path)) return [path]
  const pattern = basename(path).replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
  const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
  const found = await listFiles(dirname(path), name => expression.test(name))
  if (found.length === 0) throw new UsageError(`no file matches ${path}`)
  return found
}

async function listFiles(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isFile() && !entry.name.startsWith('.') && isWanted(entry.name))
  return names.map(({ name }) => join(folder, name)).sort()
}
