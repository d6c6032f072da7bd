import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

// Runs on the machine of whoever uses the command, so this is its environment and not that of the service.

export interface Environment {
  url: string | undefined
  key: string | undefined
  wallet: string | undefined
  /** Where `coinop login` keeps the keys. */
  file: string
}

export function readEnvironment(): Environment {
  const { COINOP_URL, COINOP_KEY, COINOP_WALLET, XDG_CONFIG_HOME } = process.env
  return {
    url: COINOP_URL || undefined,
    key: COINOP_KEY || undefined,
    wallet: COINOP_WALLET || undefined,
    file: join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'coinop', 'keys.json'),
  }
}

/** The keys by the address of the installation. */
type Keys = Record<string, string>

export async function readKeys({ file }: Environment): Promise<Keys> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  return JSON.parse(text) as Keys
}

/** Keeps the key of an installation, which only the user can read; without one, forgets it. */
export async function keepKey(environment: Environment, url: string, key: string | undefined): Promise<void> {
  const { [url]: _former, ...others } = await readKeys(environment)
  const keys = key === undefined ? others : { ...others, [url]: key }
  await mkdir(dirname(environment.file), { recursive: true, mode: 0o700 })
  await writeFile(environment.file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  // The mode above is only that of a new file.
  await chmod(environment.file, 0o600)
}
