import { readFileSync } from 'node:fs'
import type { ClientCall } from '../../calls.ts'
import type { ArgumentHelp, CallHelp } from '../../help.ts'
import { nearestOf, optionOf, UsageError } from './usage.ts'

/** A call as the command line asks for it. */
export interface Command {
  /** The arguments that were given as options. */
  input: Record<string, unknown>
  /** What stands without an option: files, or the values of what the call needs. */
  operands: string[]
  output: string | undefined
  isQuote: boolean
  isJson: boolean
  isHelp: boolean
}

const FLAGS = { '--quote': 'isQuote', '--json': 'isJson', '--help': 'isHelp', '-h': 'isHelp' } as const

/** Reads the words after the name of a call. */
export function parseCommand(call: ClientCall, help: CallHelp, words: readonly string[]): Command {
  const command: Command = { input: {}, operands: [], output: undefined, isQuote: false, isJson: false, isHelp: false }
  const options = new Map(help.arguments.map(argument => [`--${optionOf(argument.name)}`, argument]))
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') command.operands.push(...left.splice(0))
    else if (!word.startsWith('-') || word === '-') command.operands.push(word)
    else if (!readOwnOption(word, left, command)) readOption(call, options, word, left, command.input)
  }
  return command
}

/** Options of every call. */
function readOwnOption(word: string, left: string[], command: Command): boolean {
  if (word in FLAGS) command[FLAGS[word as keyof typeof FLAGS]] = true
  else if (word === '-o' || word === '--output') command.output = takeValue(word, undefined, left)
  else if (word === '--input') Object.assign(command.input, readJson(word, takeValue(word, undefined, left)))
  else return false
  return true
}

function takeValue(option: string, attached: string | undefined, left: string[]): string {
  const value = attached ?? left.shift()
  if (value === undefined) throw new UsageError(`${option} needs a value`)
  return value
}

function readOption(
  call: ClientCall,
  options: ReadonlyMap<string, ArgumentHelp>,
  word: string,
  left: string[],
  input: Record<string, unknown>,
): void {
  const [, name = word, attached] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
  const isDenied = name.startsWith('--no-') && !options.has(name)
  const argument = options.get(isDenied ? `--${name.slice(5)}` : name)
  if (!argument || (isDenied && argument.type !== 'boolean')) throw unknownOption(call, name, [...options.keys()])
  if (argument.type === 'boolean' && attached === undefined) {
    input[argument.name] = !isDenied
    return
  }
  const value = takeValue(name, attached, left)
  if (argument.type !== 'list') {
    input[argument.name] = readValue(name, argument.type, value)
    return
  }
  const given = /^[[@]/.test(value) ? readJson(name, value) : [readValue(name, argument.items ?? 'string', value)]
  input[argument.name] = [...((input[argument.name] as unknown[] | undefined) ?? []), ...(given as unknown[])]
}

function unknownOption(call: ClientCall, option: string, known: readonly string[]): UsageError {
  const near = nearestOf(option, known)
  const command = `coinop ${call.name.replace('.', ' ')} --help`
  return new UsageError(`${option} is no option here: ${near ? `did you mean ${near}?` : `${command} lists them`}`)
}

/** The text of an option as the type of its argument; the service checks what is in it. */
export function readValue(option: string, type: string, text: string): unknown {
  if (type === 'boolean') return readBoolean(option, text)
  if (type === 'integer' || type === 'number') {
    if (text.trim() === '' || Number.isNaN(Number(text))) throw new UsageError(`${option} is a number, not ${text}`)
    return Number(text)
  }
  if (type === 'json') return isJsonText(text) ? readJson(option, text) : text
  return type === 'file' && /^\{/.test(text) ? readJson(option, text) : text
}

function readBoolean(option: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new UsageError(`${option} is true or false, not ${text}`)
  return text === 'true'
}

function isJsonText(text: string): boolean {
  return /^[[{"@]|^-?\d+(\.\d+)?$|^(true|false|null)$/.test(text)
}

/** JSON, or with an `@` before its path a file that holds it. */
function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text)
  } catch (error) {
    throw new UsageError(`${option} is JSON, or @ and a file with it: ${(error as Error).message}`)
  }
}
