import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Options {
  folders: string[]
  seed: number
  /** `pdf/merge`, `pdf`, or with a part of a sample's name after a colon: `image/resize:bomb`. */
  only: string[]
  jobs: number
  /** Try every example of an operation with every file, instead of only one of them. */
  isThorough: boolean
  /** Leave out the files that the corpus builds itself. */
  isExternalOnly: boolean
  failuresPath: string
}

const USAGE = `npm run test:corpus -- [folder ...] [--seed N] [--only family/verb[:part of a file's name]] [--jobs N]
  [--thorough] [--outside-only] [--failures file]`

export function readOptions(dataDir: string): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      jobs: { type: 'string', default: '4' },
      thorough: { type: 'boolean', default: false },
      'outside-only': { type: 'boolean', default: false },
      failures: { type: 'string', default: join(dataDir, 'corpus-failures.jsonl') },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  }
  return {
    folders: positionals,
    seed: parseNumber(values.seed ?? String(Date.now() % 1_000_000)),
    only: values.only,
    jobs: parseNumber(values.jobs),
    isThorough: values.thorough,
    isExternalOnly: values['outside-only'],
    failuresPath: values.failures,
  }
}

function parseNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  process.stderr.write(`${text} is not a number\n${USAGE}\n`)
  return process.exit(2)
}
