import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../back-off.ts'

const FILE = 'processes.json'

/** Notes which processes belong to a data folder, for the next start after a supervisor that was killed. */
export function rememberProcess(dataDir: string, script: string, pid: number): void {
  writeNotes(dataDir, { ...readNotes(dataDir), [script]: pid })
}

/** The roles of a killed supervisor end by themselves; they are given a moment and then no choice. */
export async function endOrphans(dataDir: string, withinMs: number): Promise<void> {
  const orphans = Object.entries(readNotes(dataDir)).filter(([script, pid]) => runs(script, pid))
  const areGone = await until(() => !orphans.some(([script, pid]) => runs(script, pid)) || undefined, { withinMs })
  if (!areGone) for (const [script, pid] of orphans) if (runs(script, pid)) process.kill(pid, 'SIGKILL')
  writeNotes(dataDir, {})
}

function writeNotes(dataDir: string, notes: Record<string, number>): void {
  const path = join(dataDir, FILE)
  writeFileSync(`${path}.new`, JSON.stringify(notes))
  renameSync(`${path}.new`, path)
}

function readNotes(dataDir: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as Record<string, number>
  } catch {
    return {}
  }
}

/** The number alone may meanwhile be anybody's. */
function runs(script: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(script)
  } catch {
    return false
  }
}
