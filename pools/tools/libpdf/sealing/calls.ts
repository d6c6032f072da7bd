import { type EngineCall, saveOutput } from '../engine-call.ts'
import type { SealPlan } from './seal.ts'

/** Prepares documents to be signed by people, and seals them. */
export function bindSealing(call: EngineCall) {
  return {
    inspectForSealing: (path: string) => call('inspectForSealing', [path], {}),
    /** Finds text by a pattern, with the exact boxes of its glyphs. */
    locateTexts: (path: string, pattern: RegExp) => call('locateTexts', [path], { pattern: pattern.source }),
    /** Makes what is sealed, complete but for the signature; the images come before the files to attach. */
    async prepareSeal(
      document: string | undefined,
      assets: readonly string[],
      { to, ...plan }: Omit<SealPlan, 'hasDocument'> & { to: string },
    ) {
      const files = document === undefined ? assets : [document, ...assets]
      const options = { ...plan, hasDocument: document !== undefined }
      const { toSign, pages, ...output } = await call('prepareSeal', files, options)
      return { path: await saveOutput(output, to), pages, toSign }
    },
    /** Puts the signature into what was prepared, and its timestamp if there is one. */
    async completeSignature(path: string, { to, ...made }: { signature: Uint8Array; token?: Uint8Array; to: string }) {
      return saveOutput(await call('completeSignature', [path], made), to)
    },
  }
}
