import type { AlbumPlan } from './pdf-album.ts'
import type { FillPlan } from './pdf-form.ts'
import type { PicturePlan, RedactionPlan } from './pdf-redaction.ts'
import type { StampPlan } from './pdf-stamps.ts'
import type { LaidPage } from './poppler-boxes.ts'
import type { Needles } from './redact-places.ts'

/** Each is loaded when it is first asked for: most children of libpdf never set a letter. */
export async function stamp(files: string[], plan: StampPlan) {
  return (await import('./pdf-stamps.ts')).stamp(files, plan)
}

export async function listForm(files: string[]) {
  return (await import('./pdf-form.ts')).listForm(files)
}

export async function fillForm(files: string[], plan: FillPlan) {
  return (await import('./pdf-form.ts')).fillForm(files, plan)
}

export async function album(files: string[], plan: AlbumPlan) {
  return (await import('./pdf-album.ts')).album(files, plan)
}

export async function places(
  _files: string[],
  { pages, ...needles }: Needles & { pages: { page: number; laid: LaidPage }[] },
) {
  return (await import('./redact-places.ts')).places(pages, needles)
}

export async function redact(files: string[], plan: RedactionPlan) {
  return (await import('./pdf-redaction.ts')).redact(files, plan)
}

export async function withPictures(files: string[], plan: PicturePlan) {
  return (await import('./pdf-redaction.ts')).withPictures(files, plan)
}

export async function withLayersShown(files: string[]) {
  return (await import('./pdf-redaction.ts')).withLayersShown(files)
}
