import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '../../ops/bench/stack.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { descendantsOf, isAlive, type Process } from '../support/processes.ts'
import { eventually } from '../support/until.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
/** Kept warm from call to call. */
const WARM = /native-child\.ts|launcher\.ts|chrom|postgres/
const SETTLED_WITHIN_MS = 20_000

/** What a run of calls has left behind that it should not have. Waits a moment for what is just being cleared away. */
export async function leftoversOf(stack: Stack, temporary: string): Promise<string[]> {
  const look = () => [...folders(stack.config.dataDir), ...filesBelow(temporary), ...processes(stack)]
  await eventually(
    'everything to be cleared away',
    () => Promise.resolve(look().length === 0),
    SETTLED_WITHIN_MS,
  ).catch(() => undefined)
  const broken = (await checkInvariants(stack.db)).map(row => `the books: ${JSON.stringify(row)}`)
  return [...look(), ...broken, ...faultsInLog(stack.logPath), ...dead(stack)]
}

/** Those that outlive the worker they belong to; asked after it was told to stop. */
export function orphansOf(known: readonly Process[]): string[] {
  return known
    .filter(({ pid }) => isAlive(pid))
    .map(({ pid, command }) => `still there after the end: ${pid} ${command}`)
}

export function treeOf(stack: Stack): Process[] {
  return stack.workers.flatMap(({ pid }) => descendantsOf(pid))
}

function folders(dataDir: string): string[] {
  return listed(join(dataDir, 'work'))
    .flatMap(root => listed(join(dataDir, 'work', root)))
    .filter(name => UUID.test(name))
    .map(name => `a job's folder is left: ${name}`)
}

function filesBelow(folder: string): string[] {
  return listed(folder).map(name => `left in the temporary folder: ${name}`)
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function processes(stack: Stack): string[] {
  return treeOf(stack)
    .filter(({ state, command }) => state === 'Z' || !WARM.test(command))
    .map(({ pid, state, command }) => `a process is left: ${pid} ${state} ${command.slice(0, 200)}`)
}

function dead(stack: Stack): string[] {
  return [stack.api, ...stack.workers]
    .filter(({ pid }) => !isAlive(pid))
    .map(({ pid }) => `process ${pid} died on the way`)
}

/** Errors in the log are bugs and crashes, also those that a second attempt has made good. */
function faultsInLog(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const faults = lines.filter(line => /"level":"(error|fatal)"/.test(line)).map(said)
  return [...new Set(faults)]
}

function said(line: string): string {
  const { msg, operation, err } = JSON.parse(line) as { msg: string; operation?: string; err?: { message?: string } }
  return ['logged:', msg, operation, err?.message?.slice(0, 300)].filter(Boolean).join(' ')
}
