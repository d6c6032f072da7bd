import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '../../ops/bench/stack.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'
import { isAlive, listDescendants, type Process } from '../support/machine/processes.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
/** Processes that stay alive between calls. */
const LONG_LIVED = /native\/entry\.ts|launcher\.ts|chrom|postgres/
const SETTLE_TIMEOUT_MS = 20_000

/** Finds what a run has left behind but should not have, after waiting for clean-ups that are still in progress. */
export async function findLeftovers(stack: Stack, temporary: string): Promise<string[]> {
  const collect = () => [
    ...findJobFolders(stack.config.dataDir),
    ...findTemporaryFiles(temporary),
    ...findStrayProcesses(stack),
  ]
  await eventually('the clean-up to finish', () => Promise.resolve(collect().length === 0), SETTLE_TIMEOUT_MS).catch(
    () => undefined,
  )
  const ledgerErrors = (await checkInvariants(stack.db)).map(row => `ledger invariant broken: ${JSON.stringify(row)}`)
  return [...collect(), ...ledgerErrors, ...readLogErrors(stack.logPath), ...findDeadProcesses(stack)]
}

/** Finds processes that outlive their worker; called after the worker was stopped. */
export function findOrphans(processes: readonly Process[]): string[] {
  return processes
    .filter(({ pid }) => isAlive(pid))
    .map(({ pid, command }) => `still running after the end: ${pid} ${command}`)
}

export function listWorkerProcesses(stack: Stack): Process[] {
  return stack.workers.flatMap(({ pid }) => listDescendants(pid))
}

function findJobFolders(dataDir: string): string[] {
  return readFolder(join(dataDir, 'work'))
    .flatMap(root => readFolder(join(dataDir, 'work', root)))
    .filter(name => UUID.test(name))
    .map(name => `leftover job folder: ${name}`)
}

function findTemporaryFiles(folder: string): string[] {
  return readFolder(folder).map(name => `leftover temporary file: ${name}`)
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function findStrayProcesses(stack: Stack): string[] {
  return listWorkerProcesses(stack)
    .filter(({ state, command }) => state === 'Z' || !LONG_LIVED.test(command))
    .map(({ pid, state, command }) => `leftover process: ${pid} ${state} ${command.slice(0, 200)}`)
}

function findDeadProcesses(stack: Stack): string[] {
  return [stack.api, ...stack.workers]
    .filter(({ pid }) => !isAlive(pid))
    .map(({ pid }) => `process ${pid} died during the run`)
}

/** Errors in the log are bugs and crashes, including those that a second attempt has recovered from. */
function readLogErrors(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const errors = lines.filter(line => /"level":"(error|fatal)"/.test(line)).map(describeLogLine)
  return [...new Set(errors)]
}

function describeLogLine(line: string): string {
  const { msg, operation, err } = JSON.parse(line) as { msg: string; operation?: string; err?: { message?: string } }
  return ['logged:', msg, operation, err?.message?.slice(0, 300)].filter(Boolean).join(' ')
}
