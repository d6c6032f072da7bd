import { type EngineCall, saveOutput } from '../engine-call.ts'
import type { CropPlan } from './crop.ts'
import type { ObjectId } from './images.ts'
import type { ResizePlan } from './resize.ts'
import type { SheetsPlan } from './sheets.ts'

/** Reads and changes pages as a whole. */
export function bindPages(call: EngineCall) {
  return {
    /** Writes a document with one page per image, and reports which images are complete files as stored. */
    async isolateImages(path: string, { to, ...plan }: { objects: readonly ObjectId[]; to: string }) {
      const output = await call('isolateImages', [path], plan)
      return { path: await saveOutput(output, to), rawKinds: output.rawKinds }
    },
    readPageBoxes: (path: string) => call('readPageBoxes', [path], {}),
    /** Removes form fields, all other annotations, or both from the pages. */
    async dropAnnotations(path: string, { to, ...plan }: { fields: boolean; others: boolean; to: string }) {
      return saveOutput(await call('dropAnnotations', [path], plan), to)
    },
    /** Rotates pages clockwise, relative to their current rotation. */
    async rotatePages(path: string, { to, ...plan }: { degrees: number; pages: readonly number[]; to: string }) {
      return saveOutput(await call('rotatePages', [path], plan), to)
    },
    /** Limits what is visible of pages; nothing is removed. */
    async cropPages(path: string, { to, ...plan }: CropPlan & { to: string }) {
      return saveOutput(await call('cropPages', [path], plan), to)
    },
    /** Scales pages to new sizes, with their annotations and whatever points to a place on them. */
    async resizePages(path: string, { to, ...plan }: ResizePlan & { to: string }) {
      return saveOutput(await call('resizePages', [path], plan), to)
    },
    /** Replaces the pages by sheets that show several of them. */
    async arrangeSheets(path: string, { to, ...plan }: SheetsPlan & { to: string }) {
      return saveOutput(await call('arrangeSheets', [path], plan), to)
    },
  }
}
