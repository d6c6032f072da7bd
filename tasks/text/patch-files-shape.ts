import { Problem } from '#kit'
import { applyHunks, type HunkReport, type Patched } from './patch-apply-shape.ts'
import { type Closeness, Effort } from './patch-match-shape.ts'
import type { FilePatch } from './patch-parse-shape.ts'

export interface PatchedFiles {
  files: Record<string, string>
  hunks: HunkReport[]
  rejects: string[]
}

const NOWHERE = '/dev/null'

/** One text takes the hunks of one file, whatever the patch calls it. */
export function patchText(text: string, patches: readonly FilePatch[], closeness: Closeness): Patched {
  if (patches.length > 1) {
    throw new Problem('PATCH_INVALID', { detail: 'a patch of several files', files: patches.map(nameIn).slice(0, 20) })
  }
  return applyHunks(text, patches[0]!.hunks, closeness)
}

/** Names are keys of a map and nothing else: no disk is near. */
export function patchFiles(
  given: Record<string, string>,
  patches: readonly FilePatch[],
  closeness: Closeness,
): PatchedFiles {
  const files = new Map(Object.entries(given))
  const effort = new Effort()
  const hunks: HunkReport[] = []
  const rejects: string[] = []
  for (const patch of patches) {
    const from = existingName(files, patch)
    const patched = applyHunks(from === undefined ? '' : files.get(from)!, patch.hunks, closeness, effort)
    store(files, patch, from, patched)
    hunks.push(
      ...patched.hunks.map((report, index) => ({ ...report, index: hunks.length + index, file: nameIn(patch) })),
    )
    rejects.push(...patched.rejects)
  }
  return { files: Object.fromEntries(files), hunks, rejects }
}

/** Moved or deleted only where every hunk went in. */
function store(files: Map<string, string>, patch: FilePatch, from: string | undefined, patched: Patched): void {
  const isWhole = patched.rejects.length === 0
  if (isWhole && from !== undefined) files.delete(from)
  const target = isWhole ? targetOf(patch, from) : from
  if (target !== undefined) files.set(target, patched.text)
}

function targetOf(patch: FilePatch, from: string | undefined): string | undefined {
  return patch.to === NOWHERE ? undefined : newName(patch, from)
}

function existingName(files: ReadonlyMap<string, string>, patch: FilePatch): string | undefined {
  if (patch.from === NOWHERE) return undefined
  const names = [patch.from, patch.to].filter(name => name !== undefined && name !== NOWHERE)
  const found = names.flatMap(name => [name!, stripped(name!)]).find(name => files.has(name))
  if (found === undefined)
    throw new Problem('PATCH_REJECTED', { file: names[0], detail: 'no such file', files: [...files.keys()] })
  return found
}

function newName({ from, to }: FilePatch, existing: string | undefined): string {
  if (existing === undefined || to === undefined) return stripped(to!)
  return stripped(from ?? '') === stripped(to) ? existing : stripped(to)
}

function stripped(name: string): string {
  return name.replace(/^[ab]\//, '')
}

function nameIn({ from, to }: FilePatch): string {
  return stripped((to === NOWHERE ? from : to) ?? '')
}
