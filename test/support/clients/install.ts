import { execFile } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { inject } from 'vitest'
import type { Client } from '../../../api/surfaces/sdk/typescript/client.ts'
import type { ClientOptions } from '../../../api/surfaces/sdk/typescript/types.ts'
import { ROOT } from '../house/files.ts'
import { PYTHON } from '../machine/programs.ts'
import type { Stack } from '../stack/start.ts'

const run = promisify(execFile)

/** The clients of a stack in a folder that was empty before, installed by the commands of the README. */
export interface InstalledClients {
  folder: string
  /** Runs lines of a shell in the folder, with the two clients within reach. */
  shell(lines: string, env?: Record<string, string>): Promise<{ stdout: string; stderr: string }>
  /** Runs a program of Python in the folder, with the client within reach. */
  python(file: string, input: string, env?: Record<string, string>): Promise<string>
  load(): Promise<LoadedClient>
}

// biome-ignore lint/suspicious/noExplicitAny: the calls of a client are those of its catalogue.
type AnyClient = Client & Record<string, any>

interface LoadedClient {
  Coinop: new (options: ClientOptions) => AnyClient
  // biome-ignore lint/suspicious/noExplicitAny: classes of errors by name.
  [name: string]: any
}

const installed = new Map<string, Promise<InstalledClients>>()

/** Shared by the test files of one process, as their stack is. */
export function installClients(stack: Stack, key: string): Promise<InstalledClients> {
  const found = installed.get(stack.url) ?? install(stack, key)
  installed.set(stack.url, found)
  return found
}

async function install(stack: Stack, key: string): Promise<InstalledClients> {
  const folder = await mkdtemp(join(inject('runFolder'), 'clients-'))
  const image = sharp({ create: { width: 800, height: 600, channels: 3, background: 'teal' } })
  await image.png().toFile(join(folder, 'in.png'))
  const site = join(folder, 'site')
  const shared = {
    ...process.env,
    PATH: `/usr/bin:${process.env.PATH}`,
    KEY: key,
    PIP_TARGET: site,
    PIP_ROOT_USER_ACTION: 'ignore',
    PYTHONPATH: site,
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  const shell: InstalledClients['shell'] = (lines, env) =>
    run('bash', ['-euo', 'pipefail', '-c', lines], { cwd: folder, env: { ...shared, ...env }, maxBuffer: 1 << 26 })
  const [npm, pip] = await readCommands(stack.url)
  // The packages are made for the first of them.
  await shell(npm)
  await shell(pip)
  return {
    folder,
    shell,
    async python(file, input, env) {
      const child = run(PYTHON, [file], { cwd: folder, env: { ...shared, ...env }, maxBuffer: 1 << 26 })
      child.child.stdin!.end(input)
      return (await child).stdout
    },
    load: () => import(/* @vite-ignore */ pathToFileURL(join(folder, 'node_modules/coinop/index.js')).href),
  }
}

/** The commands of the README: the three that end with a first result, and that for Python. */
async function readCommands(url: string): Promise<[npm: string, pip: string]> {
  const page = (await readFile(join(ROOT, 'README.md'), 'utf8')).split('## Use its own clients')[1]!
  const [, npm] = /```sh\n(.*?)```/s.exec(page)!
  const [, pip] = /`(pip install [^`]+)`/.exec(page)!
  const here = (text: string) => text.replaceAll('http://127.0.0.1:8080', url)
  return [here(npm!), here(pip!)]
}

/** Installs the Python client of a service into a folder, and runs programs with it. */
export async function installPython(url: string, folder: string) {
  const env = { ...process.env, PYTHONPATH: folder, PIP_ROOT_USER_ACTION: 'ignore' }
  const address = (await (await fetch(`${url}/sdk.txt`)).text()).trim()
  await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--target', folder, address], { env })
  return async (program: string, input: object): Promise<unknown> => {
    const { stdout } = await run(PYTHON, ['-c', program, JSON.stringify(input)], { env })
    return JSON.parse(stdout)
  }
}

/** The program in Python that the README prints. */
export async function readPythonProgram(): Promise<string> {
  const page = (await readFile(join(ROOT, 'README.md'), 'utf8')).split('## Use its own clients')[1]!
  return /```python\n(.*?)```/s.exec(page)![1]!
}
