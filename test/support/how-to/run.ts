import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listSamples } from '../../../api/surfaces/code/program/values.ts'
import type { HowTo } from '../../../api/surfaces/how-to/declaration.ts'
import type { InstalledClients } from '../clients/install.ts'
import { ROOT } from '../house/files.ts'
import { PYTHON } from '../machine/programs.ts'
import type { Stack } from '../stack/start.ts'

/** Runs the programs of a page as they are printed, each in an empty folder with the clients installed. */
export async function runProgram(
  clients: InstalledClients,
  {
    language,
    code,
    page,
    env,
  }: { language: string; code: string; page: HowTo & { slug: string }; env?: Record<string, string> },
): Promise<string> {
  const folder = join(clients.folder, `${page.slug}-${language.toLowerCase()}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const name of language === 'curl' ? [] : listSamples(page.steps))
    await symlink(join(ROOT, 'tasks/samples', name), join(folder, name))
  const run = (command: string) => clients.shell(`cd ${folder} && ${command}`, env)
  switch (language) {
    case 'curl':
      await writeFile(join(folder, 'call.sh'), code.replaceAll('curl ', 'curl --fail-with-body -sS '))
      return (await run('bash -euo pipefail call.sh')).stdout
    case 'Python':
      await writeFile(join(folder, 'call.py'), code)
      return (await run(`${PYTHON} call.py`)).stdout
    default:
      await writeFile(join(folder, 'call.mjs'), code)
      return (await run(`${process.execPath} call.mjs`)).stdout
  }
}

/** Puts the official client of MCP within reach of programs in the folder of the clients. */
export async function linkMcpClient({ folder }: InstalledClients): Promise<void> {
  const modules = join(folder, 'node_modules')
  if ((await readdir(modules)).includes('@modelcontextprotocol')) return
  await symlink(join(ROOT, 'node_modules/@modelcontextprotocol'), join(modules, '@modelcontextprotocol'))
}

/** What a stack with the tools of this machine lacks for the page. */
export async function findMissing(stack: Stack, { steps }: HowTo): Promise<string[]> {
  const { operations } = (await stack.anonymous.get('/v1/capabilities')).body as {
    operations: Record<string, { available: boolean }>
  }
  return steps.flatMap(({ call }) => (operations[call]?.available === false ? [call] : []))
}
