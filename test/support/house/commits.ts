import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const MAX_LENGTH = 72
/** The last release that landed; subjects up to it were not checked. */
const RELEASE = 'd85e6de8dfe36a9b09d0ee8e0796b2fb08b039b7'

/** The subjects of the last commits, back to the release: fewer in a shallow clone, none in a copy without a history. */
export function readSubjects(root: string): string[] {
  if (!existsSync(join(root, '.git'))) return []
  const log = execFileSync('git', ['log', '--no-merges', '--max-count=50', '--format=%H %s'], {
    cwd: root,
    encoding: 'utf8',
  })
  const commits = log.split('\n').filter(line => line !== '')
  const release = commits.findIndex(line => line.startsWith(RELEASE))
  return commits.slice(0, release < 0 ? undefined : release).map(line => line.slice(line.indexOf(' ') + 1))
}

export function findLongSubjects(subjects: readonly string[]): string[] {
  return subjects
    .filter(subject => [...subject].length > MAX_LENGTH)
    .map(subject => `"${subject}" has ${[...subject].length} characters: a commit subject has at most ${MAX_LENGTH}`)
}
