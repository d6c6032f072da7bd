import { Problem } from '#kit'
import { applyHunks, type HunkReport, type Patched } from './apply.ts'
import { MatchBudget, type MatchOptions } from './match.ts'
import type { FilePatch } from './parse.ts'

interface PatchedFiles {
  files: Record<string, string>
  hunks: HunkReport[]
  rejects: string[]
}

const DEV_NULL = '/dev/null'

/** Applies a patch of one file to a text, whatever name the patch has for it. */
export function patchText(text: string, patches: readonly FilePatch[], options: MatchOptions): Patched {
  if (patches.length > 1) {
    throw new Problem('PATCH_INVALID', {
      detail: 'the patch changes several files; pass them in files',
      files: patches.map(displayName).slice(0, 20),
    })
  }
  const { from, hunks } = patches[0]!
  // What creates a file is not to be put in front of one that exists.
  const placed = from === DEV_NULL ? hunks.map(hunk => ({ ...hunk, oldStart: undefined })) : hunks
  return applyHunks(text, placed, options)
}

/** Applies a patch to several texts. Names are only keys of a map; no files are accessed. */
export function patchFiles(
  given: Record<string, string>,
  patches: readonly FilePatch[],
  options: MatchOptions,
): PatchedFiles {
  const files = new Map(Object.entries(given))
  const budget = new MatchBudget()
  const hunks: HunkReport[] = []
  const rejects: string[] = []
  for (const patch of patches) {
    const from = findExistingName(files, patch)
    const patched = applyHunks(from === undefined ? '' : files.get(from)!, patch.hunks, options, budget)
    storePatched(files, patch, from, patched)
    hunks.push(
      ...patched.hunks.map((report, index) => ({ ...report, index: hunks.length + index, file: displayName(patch) })),
    )
    rejects.push(...patched.rejects)
  }
  return { files: Object.fromEntries(files), hunks, rejects }
}

/** Stores a patched text. A file is renamed or deleted only if every hunk was applied. */
function storePatched(files: Map<string, string>, patch: FilePatch, from: string | undefined, patched: Patched): void {
  const isWhole = patched.rejects.length === 0
  if (isWhole && from !== undefined) files.delete(from)
  const target = isWhole ? findTargetName(patch, from) : from
  if (target !== undefined) files.set(target, patched.text)
}

function findTargetName(patch: FilePatch, from: string | undefined): string | undefined {
  return patch.to === DEV_NULL ? undefined : chooseNewName(patch, from)
}

function findExistingName(files: ReadonlyMap<string, string>, patch: FilePatch): string | undefined {
  if (patch.from === DEV_NULL) return undefined
  const names = [patch.from, patch.to].filter(name => name !== undefined && name !== DEV_NULL)
  const found = names.flatMap(name => [name!, stripPrefix(name!)]).find(name => files.has(name))
  if (found === undefined)
    throw new Problem('PATCH_REJECTED', { file: names[0], detail: 'the file does not exist', files: [...files.keys()] })
  return found
}

function chooseNewName({ from, to }: FilePatch, existing: string | undefined): string {
  if (existing === undefined || to === undefined) return stripPrefix(to!)
  return stripPrefix(from ?? '') === stripPrefix(to) ? existing : stripPrefix(to)
}

function stripPrefix(name: string): string {
  return name.replace(/^[ab]\//, '')
}

function displayName({ from, to }: FilePatch): string {
  return stripPrefix((to === DEV_NULL ? from : to) ?? '')
}
