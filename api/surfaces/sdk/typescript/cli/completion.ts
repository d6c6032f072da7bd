import type { Installation } from '../client.ts'
import { findCall, findFamily, listFamilies, readHelp, verbOf } from './catalog.ts'
import { optionOf, UsageError } from './usage.ts'

const COMMANDS = ['search', 'balance', 'login', 'logout', 'completion']
const OPTIONS = ['--output', '--quote', '--json', '--input', '--help']

/** What can stand after these words; files, where that is nothing. */
export async function complete(installation: Installation, words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? ''
  const [family, verb] = words
  const candidates = await listCandidates(installation, words.slice(0, -1), last, family, verb).catch(() => [])
  return candidates.filter(candidate => candidate.startsWith(last))
}

async function listCandidates(
  installation: Installation,
  before: readonly string[],
  last: string,
  family = '',
  verb = '',
): Promise<string[]> {
  if (before.length === 0) return [...COMMANDS, ...listFamilies(installation)]
  if (family === 'completion') return ['bash', 'zsh', 'fish']
  if (before.length === 1) return findFamily(installation, family).map(verbOf)
  const { arguments: known } = (await readHelp())[findCall(installation, family, verb).name]!
  const asked = known.find(({ name }) => `--${optionOf(name)}` === before.at(-1))
  if (asked?.choices) return asked.choices.map(String)
  return last.startsWith('-') ? [...known.map(({ name }) => `--${optionOf(name)}`), ...OPTIONS] : []
}

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_coinop() {
  local words
  mapfile -t words < <(coinop --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${words[@]}")
}
complete -o default -F _coinop coinop
`,
  zsh: `#compdef coinop
_coinop() {
  local -a found
  found=(\${(f)"$(coinop --complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _coinop coinop
`,
  fish: `function __coinop_complete
  set -l words (commandline -opc) (commandline -ct)
  coinop --complete $words[2..-1] 2>/dev/null
end
complete -c coinop -a '(__coinop_complete)'
`,
}

export function renderCompletion(shell: string | undefined): string {
  const script = SCRIPTS[shell ?? '']
  if (script === undefined) throw new UsageError('coinop completion is followed by bash, zsh or fish')
  return script
}
