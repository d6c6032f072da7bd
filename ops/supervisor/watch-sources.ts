import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

export type RoleName = 'api' | 'worker' | 'console' | 'local chain' | 'embedder'

const WATCHED_FOLDERS = ['api', 'ops', 'pools', 'sql', 'tasks', 'workers']
const SKIPPED_FOLDERS = new Set(['node_modules', 'bench', 'cli', 'decisions'])
const SOURCE = /\.(ts|mjs|js|sql|css|json|txt)$/
/** An editor writes a file in several steps; changes within this time are reported together. */
const BATCH_MS = 100

/** Which roles may load a file; this follows from the import rules in test/support/house/import-rules.ts. */
const ROLES_BY_PATH: readonly (readonly [pattern: RegExp, roles: readonly RoleName[]])[] = [
  [/^api\/console\//, ['console']],
  [/^api\//, ['api', 'console']],
  [/^(workers|pools)\//, ['worker']],
  [/^ops\/dev-chain\//, ['local chain']],
  [/^ops\/embedder\//, ['embedder']],
  [/^(ops\/(modules|providers|tracing)|sql|tasks)\//, ['api', 'worker', 'console']],
  [/^ops\/metrics\//, ['api', 'worker']],
  [/^ops\/prices\//, ['console']],
  [/^ops\/(back-off|config|data-folder|log|secrets|variables)\.ts$/, ['api', 'worker', 'console']],
]

/** The roles to restart after a file has changed; none for a file that only the supervisor or a tool loads. */
export function findAffectedRoles(path: string): readonly RoleName[] {
  if (!SOURCE.test(path)) return []
  return ROLES_BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? []
}

/**
 * Reports changed source files below `root`, in batches. Each folder is watched by itself: a recursive watcher would
 * also walk the Node installation in ops/runtime.
 */
export function watchSources(root: string, onChange: (paths: readonly string[]) => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function watchFolder(folder: string): void {
    if (watchers.has(folder)) return
    const watcher = watch(folder, (_event, name) => name !== null && noteChange(join(folder, name)))
    watcher.on('error', () => unwatchFolder(folder))
    watchers.set(folder, watcher)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) watchFolder(join(folder, entry.name))
    }
  }

  function unwatchFolder(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  function noteChange(path: string): void {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) watchFolder(path)
    if (!stats) unwatchFolder(path)
    changed.add(relative(root, path))
    timer ??= setTimeout(report, BATCH_MS)
  }

  function report(): void {
    timer = undefined
    const paths = [...changed].filter(path => SOURCE.test(path))
    changed.clear()
    if (paths.length > 0) onChange(paths)
  }

  for (const folder of WATCHED_FOLDERS) watchFolder(join(root, folder))
  return {
    close() {
      clearTimeout(timer)
      for (const folder of [...watchers.keys()]) unwatchFolder(folder)
    },
  }
}
