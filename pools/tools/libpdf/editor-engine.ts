import type { TextPage } from '../../../tasks/formats/pdf/text-layout.ts'
import type { FillPlan } from './forms/fill.ts'
import type { ComparisonPlan } from './pages/comparison.ts'
import type { FromImagesPlan } from './pages/from-images.ts'
import type { StampPlan } from './pages/stamps.ts'
import type { SearchOptions } from './redaction/matches.ts'
import type { RedactionPlan, ReplacementPlan } from './redaction/redact.ts'
import type { DrawingPlan, SealPlan } from './sealing/seal.ts'
import type { TextLayerPlan } from './text-layer/add.ts'

/** Modules are loaded on first use, because most child processes of libpdf never shape text. */
export async function stamp(files: string[], plan: StampPlan) {
  return (await import('./pages/stamps.ts')).stamp(files, plan)
}

export async function readForm(files: string[]) {
  return (await import('./forms/fill.ts')).readForm(files)
}

export async function fillForm(files: string[], plan: FillPlan) {
  return (await import('./forms/fill.ts')).fillForm(files, plan)
}

export async function createFromImages(files: string[], plan: FromImagesPlan) {
  return (await import('./pages/from-images.ts')).createFromImages(files, plan)
}

export async function drawComparison(files: string[], plan: ComparisonPlan) {
  return (await import('./pages/comparison.ts')).drawComparison(files, plan)
}

export async function findMatches(
  _files: string[],
  { pages, ...options }: SearchOptions & { pages: readonly { page: number; textPage: TextPage }[] },
) {
  return (await import('./redaction/matches.ts')).findMatches(pages, options)
}

export async function redact(files: string[], plan: RedactionPlan) {
  return (await import('./redaction/redact.ts')).redact(files, plan)
}

export async function replaceWithImages(files: string[], plan: ReplacementPlan) {
  return (await import('./redaction/redact.ts')).replaceWithImages(files, plan)
}

export async function showAllLayers(files: string[]) {
  return (await import('./redaction/redact.ts')).showAllLayers(files)
}

export async function locateTexts(files: string[], search: { pattern: string }) {
  return (await import('./sealing/locate.ts')).locateTexts(files, search)
}

export async function drawOnPages(files: string[], plan: DrawingPlan) {
  return (await import('./sealing/seal.ts')).drawOnPages(files, plan)
}

export async function prepareSeal(files: string[], plan: SealPlan) {
  return (await import('./sealing/seal.ts')).prepareSeal(files, plan)
}

export async function addTextLayer(files: string[], plan: TextLayerPlan) {
  return (await import('./text-layer/add.ts')).addTextLayer(files, plan)
}

export async function removeTextLayer(files: string[], plan: { pages: readonly number[] }) {
  return (await import('./text-layer/remove.ts')).removeTextLayer(files, plan)
}
