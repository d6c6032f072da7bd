import type { StampPlan } from './pdf-stamps.ts'

/** Each is loaded when it is first asked for: most children of libpdf never set a letter. */
export async function stamp(files: string[], plan: StampPlan): Promise<{ bytes: Uint8Array }> {
  return (await import('./pdf-stamps.ts')).stamp(files, plan)
}
