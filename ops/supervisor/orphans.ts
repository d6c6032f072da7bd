import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pollUntil } from '../back-off.ts'

const FILE = 'processes.json'

/** Records which processes belong to a data folder, so that the next start finds those of a killed supervisor. */
export function recordProcess(dataDir: string, script: string, pid: number): void {
  writeRecords(dataDir, { ...readRecords(dataDir), [script]: pid })
}

/** The roles of a killed supervisor stop by themselves; those that are too slow are killed. */
export async function stopOrphans(dataDir: string, timeoutMs: number): Promise<void> {
  const orphans = Object.entries(readRecords(dataDir)).filter(([script, pid]) => isRunning(script, pid))
  const areGone = await pollUntil(() => !orphans.some(([script, pid]) => isRunning(script, pid)) || undefined, {
    withinMs: timeoutMs,
  })
  if (!areGone) for (const [script, pid] of orphans) if (isRunning(script, pid)) process.kill(pid, 'SIGKILL')
  writeRecords(dataDir, {})
}

function writeRecords(dataDir: string, records: Record<string, number>): void {
  const path = join(dataDir, FILE)
  writeFileSync(`${path}.new`, JSON.stringify(records))
  renameSync(`${path}.new`, path)
}

function readRecords(dataDir: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as Record<string, number>
  } catch {
    return {}
  }
}

/** The pid alone is not enough: the system may have given it to another process. */
function isRunning(script: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(script)
  } catch {
    return false
  }
}
