import type { InputFile, Warning } from '#kit'
import type { Candidate, Redraw } from './candidates.ts'

/** A new drawing has neither tags nor layers, so that only documents without them are drawn anew for their size alone. */
export function chooseRedraw(
  { facts }: InputFile,
  { level, grayscale }: { level: string; grayscale: boolean },
): Redraw {
  if (grayscale) return 'gray'
  const hasStructure = facts.marks?.some(mark => mark === 'tags' || mark === 'layers') ?? false
  return level === 'extreme' && !hasStructure ? 'if-smaller' : 'never'
}

/** What the answer tells about the result; nothing but the sizes if the input is returned. */
export function describeSaving(
  { sizeBytes: originalBytes }: InputFile,
  result: Candidate | undefined,
  targetBytes?: number,
) {
  const outputBytes = result?.sizeBytes ?? originalBytes
  return {
    originalBytes,
    outputBytes,
    saved: Math.max(0, Math.round((1 - outputBytes / originalBytes) * 1000) / 1000),
    unchanged: result === undefined,
    method: result?.method ?? [],
    imagesTouched: result?.imagesTouched ?? 0,
    linearized: result?.isLinearized ?? false,
    ...(targetBytes !== undefined && { targetMet: outputBytes <= targetBytes }),
  }
}

const TAGS_REMOVED = { code: 'TAGS_REMOVED', message: 'The tags for screen readers are lost in shades of grey.' }
const LAYERS_FLATTENED = { code: 'LAYERS_FLATTENED', message: 'In shades of grey only the visible layers are left.' }

export function collectGrayWarnings({ facts }: InputFile): Warning[] {
  const has = (mark: 'tags' | 'layers') => facts.marks?.includes(mark) ?? false
  return [...(has('tags') ? [TAGS_REMOVED] : []), ...(has('layers') ? [LAYERS_FLATTENED] : [])]
}
