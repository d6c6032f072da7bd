import { readFileSync } from 'node:fs'
import { listKeys } from '../../../../sql/witness/index.ts'
import { formatTable } from '../../../cli/print.ts'
import { type CliContext, type Runs, UsageError } from '../../../cli/verb.ts'
import { rotateSigningKey } from '../keys.ts'

export const runs: Runs = {
  async keys({ db }) {
    const keys = (await listKeys(db)).map(({ kid, createdAt, retiredAt }) => ({ kid, createdAt, retiredAt }))
    const lines = keys.map(({ kid, createdAt, retiredAt }) => [kid, createdAt, retiredAt])
    return { data: keys, text: formatTable(['key', 'created', 'retired'], lines) }
  },
  rotate: context => rotate(context),
  import: (context, [file]) => rotate(context, readKeyFile(file!)),
}

async function rotate({ db, config }: CliContext, imported?: string) {
  const { kid, createdAt } = await rotateSigningKey(db, config.secret, imported)
  return { data: { kid, createdAt }, text: kid }
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
