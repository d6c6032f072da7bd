import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../house/files.ts'

const MAX_COMMITS = 60

/** The newest commit of this history whose migrations are some of today's, but not all; undefined in a clone without one. */
export function findOlderCommit(): string | undefined {
  const today = listMigrations('HEAD')
  const args = ['log', '--full-history', '--format=%H', `-${MAX_COMMITS}`, '--', 'sql/migrations']
  return runGit(args)
    .split('\n')
    .filter(Boolean)
    .find(commit => {
      const older = listMigrations(commit)
      return older.size > 0 && older.size < today.size && older.isSubsetOf(today)
    })
}

/** Lays the files of a commit into a folder, with the packages of today. */
export function extractVersion(commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

function listMigrations(commit: string): Set<string> {
  const names = runGit(['ls-tree', '--name-only', commit, 'sql/migrations/']).split('\n')
  return new Set(names.filter(name => name.endsWith('.sql')))
}

/** A copy of the repository may have no history at all. */
function runGit(args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}
