import type { ClientCall } from '../../calls.ts'
import type { ArgumentHelp, CallHelp } from '../../help.ts'
import type { Installation } from '../client.ts'
import { listFamilies, verbOf } from './catalog.ts'
import { optionOf } from './usage.ts'

const COMMANDS: readonly [command: string, what: string][] = [
  ['<family> <call> [files] [options]', 'makes a call: coinop image resize in.png --width 400 -o out.webp'],
  ['search <words>', 'finds the calls that do what you want'],
  ['balance', 'shows what your account has left'],
  ['login [--key <key> | --wallet]', 'keeps a key for this installation, from its dashboard or by a wallet'],
  ['logout', 'forgets it'],
  ['completion bash|zsh|fish', 'prints a script that completes commands'],
]

export function renderOverview(installation: Installation): string {
  const width = Math.max(...COMMANDS.map(([command]) => command.length))
  return `The command line of ${installation.url}

${COMMANDS.map(([command, what]) => `  coinop ${command.padEnd(width)}  ${what}`).join('\n')}

Families: ${wrap(listFamilies(installation).join(', '), 10)}
coinop <family> --help lists its calls, coinop <family> <call> --help its options.

Options of every call:
  -o, --output <path>  where its file goes: a path, a folder, or - for the standard output
  --quote              only its price
  --json               the whole answer as JSON
  --input <json>       further arguments as JSON, or @ and a file with it

Files are paths, folders, patterns, addresses or - for the standard input. Into a pipe goes the file of the answer.
Environment: COINOP_KEY, COINOP_URL, and COINOP_WALLET with a private key that pays by x402.
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 not signed in or not paid, 4 unavailable.
`
}

export function renderFamily(family: string, members: readonly ClientCall[]): string {
  const width = Math.max(...members.map(member => verbOf(member).length))
  const lines = members.map(member => `  coinop ${family} ${verbOf(member).padEnd(width)}  ${member.summary}`)
  return `${lines.join('\n')}\n`
}

export function renderCall(call: ClientCall, help: CallHelp): string {
  const needed = help.arguments.filter(({ isRequired }) => isRequired)
  const usage = needed.map(argument =>
    isFile(argument) ? `<${argument.name}>` : `--${optionOf(argument.name)} <${kindOf(argument)}>`,
  )
  const options = help.arguments.map(argument => renderArgument(argument))
  const about = [call.summary, help.description].filter(Boolean).join(' ')
  const example =
    help.example === undefined ? '' : `\nAn example of its arguments:\n  ${JSON.stringify(help.example)}\n`
  const list = options.length > 0 ? `\nOptions:\n${options.join('\n')}\n` : ''
  return `coinop ${call.family} ${verbOf(call)} ${usage.join(' ')}\n\n${wrap(about, 0)}\n${list}${example}`
}

function isFile({ type, items }: ArgumentHelp): boolean {
  return type === 'file' || (type === 'list' && items === 'file')
}

function kindOf({ type, items, choices }: ArgumentHelp): string {
  if (choices && choices.length <= 8) return choices.join('|')
  return type === 'list' ? `${items}` : type
}

function renderArgument(argument: ArgumentHelp): string {
  const { name, type, description, default: value, isRequired } = argument
  const head = type === 'boolean' ? `--${optionOf(name)}` : `--${optionOf(name)} <${kindOf(argument)}>`
  const facts = [
    description,
    isRequired && 'Required.',
    type === 'list' && 'Can be given again.',
    value !== undefined && `Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`,
  ].filter(Boolean)
  return facts.length === 0 ? `  ${head}` : `  ${head}\n      ${wrap(facts.join(' '), 6)}`
}

const LINE = 100

function wrap(text: string, indent: number): string {
  const lines: string[] = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!
    if (line !== '' && line.length + word.length + indent >= LINE) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
