import type { AlbumPlan } from './pdf-album.ts'
import type { FillPlan } from './pdf-form.ts'
import type { StampPlan } from './pdf-stamps.ts'

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
