import { writeFile } from 'node:fs/promises'
import type { TextPage } from '../../../tasks/formats/pdf/text-layout.ts'
import type { HostContext } from '../../host-context.ts'
import { type EngineCall, saveOutput } from './engine-call.ts'
import type { FillPlan } from './forms/fill.ts'
import type { ComparisonPlan } from './pages/comparison.ts'
import type { FromImagesPlan } from './pages/from-images.ts'
import type { StampPlan } from './pages/stamps.ts'
import type { SearchOptions } from './redaction/matches.ts'
import type { RedactionPlan, ReplacementPlan } from './redaction/redact.ts'
import type { TextLayerPlan } from './text-layer/add.ts'

/** Draws into documents: stamps, form values, images as pages, redactions. */
export function bindDrawing(context: HostContext, call: EngineCall) {
  return {
    /** Stamps pages. Each stamp names its image or document by its position in `assets`, from 1. */
    async stamp(path: string, assets: readonly Asset[], { to, ...plan }: StampPlan & { to: string }) {
      const { missed, ...output } = await call('stamp', [path, ...(await writeAssets(context, assets))], plan)
      return { path: await saveOutput(output, to), missed }
    },
    /** Creates a document with one page per image; the images are JPEG or PNG. */
    async createFromImages(assets: readonly Asset[], { to, ...plan }: FromImagesPlan & { to: string }) {
      return saveOutput(await call('createFromImages', await writeAssets(context, assets), plan), to)
    },
    /** Draws the pages of two documents side by side, with marks on what differs. */
    async drawComparison(paths: readonly [string, string], { to, ...plan }: ComparisonPlan & { to: string }) {
      return saveOutput(await call('drawComparison', paths, plan), to)
    },
    readForm: (path: string) => call('readForm', [path], {}),
    async fillForm(path: string, { to, ...plan }: FillPlan & { to: string }) {
      const { warnings, ...output } = await call('fillForm', [path], plan)
      return { path: await saveOutput(output, to), warnings }
    },
    /** Finds the areas of the pages that hold the search terms. */
    findMatches: (pages: readonly { page: number; textPage: TextPage }[], options: SearchOptions) =>
      call('findMatches', [], { pages, ...options }),
    /** Removes what lies in the regions. Pages listed in `uncertainPages` must be replaced with images. */
    async redact(path: string, { to, ...plan }: RedactionPlan & { to: string }) {
      const { uncertainPages, wiped, cleared, ...output } = await call('redact', [path], plan)
      return { path: await saveOutput(output, to), uncertainPages, wiped, cleared }
    },
    /** Writes a copy with every layer visible, so that a reader finds all text. */
    async showAllLayers(path: string, { to }: { to: string }) {
      return saveOutput(await call('showAllLayers', [path], {}), to)
    },
    /** Puts invisible words under the content of pages. */
    async addTextLayer(path: string, { to, ...plan }: TextLayerPlan & { to: string }) {
      return saveOutput(await call('addTextLayer', [path], plan), to)
    },
    /** Removes invisible text from pages. */
    async removeTextLayer(path: string, { to, ...plan }: { pages: readonly number[]; to: string }) {
      return saveOutput(await call('removeTextLayer', [path], plan), to)
    },
    /** Replaces pages with images, in the order of the plan. */
    async replaceWithImages(
      path: string,
      images: readonly string[],
      { to, ...plan }: ReplacementPlan & { to: string },
    ) {
      return saveOutput(await call('replaceWithImages', [path, ...images], plan), to)
    },
  }
}

/** An image or document that is drawn into another document: in memory, or a file of the job. */
export interface Asset {
  bytes?: Uint8Array
  path?: string
}

function writeAssets(context: HostContext, assets: readonly Asset[]): Promise<string[]> {
  return Promise.all(
    assets.map(async ({ bytes, path }, index) => {
      if (path !== undefined) return path
      const assetPath = context.out(`asset-${index}`)
      await writeFile(assetPath, bytes!, { flag: 'wx' })
      return assetPath
    }),
  )
}
