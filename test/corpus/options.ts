import { join } from 'node:path'
import { parseArgs } from 'node:util'

export interface Options {
  folders: string[]
  seed: number
  /** `pdf/merge`, `pdf` or a part of a sample's name after a colon: `image/resize:bomb`. */
  only: string[]
  jobs: number
  /** Every example of every operation with every file, instead of one of them. */
  isThorough: boolean
  /** Leave out the files the corpus makes itself. */
  isOutsideOnly: boolean
  failuresPath: string
}

const USE = `npm run test:corpus -- [folder ...] [--seed N] [--only family/verb[:part of a file's name]] [--jobs N]
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
    process.stdout.write(`${USE}\n`)
    process.exit(0)
  }
  return {
    folders: positionals,
    seed: numberOf(values.seed ?? String(Date.now() % 1_000_000)),
    only: values.only,
    jobs: numberOf(values.jobs),
    isThorough: values.thorough,
    isOutsideOnly: values['outside-only'],
    failuresPath: values.failures,
  }
}

function numberOf(word: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word)
  process.stderr.write(`${word} is not a number\n${USE}\n`)
  return process.exit(2)
}
