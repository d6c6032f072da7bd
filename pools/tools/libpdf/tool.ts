import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import type { PageSource } from '../../../tasks/formats/pdf/carry-over.ts'
import type { NewAttachment, NewBookmark, SanitizePlan } from '../../../tasks/formats/pdf/document.ts'
import type { HostContext } from '../../host-context.ts'
import { bindCompression } from './compression/calls.ts'
import { bindDrawing } from './drawing.ts'
import { createEngineCall, type EngineCall, type EngineOutput, saveOutput } from './engine-call.ts'
import { bindPages } from './pages/calls.ts'
import type { RestorePlan } from './restore-structure.ts'
import { bindSealing } from './sealing/calls.ts'
import { bindSignatures } from './signatures/calls.ts'
import type { NewMetadata } from './structure/document-info.ts'
import type { PdfaPlan } from './structure/pdfa-write.ts'

/**
 * Reads and changes the objects of a PDF. The reader inflates streams without a limit, so it runs in a child process
 * whose memory is limited, not in a thread.
 */
export function bind(context: HostContext) {
  const call = createEngineCall(context)
  return {
    inspect: (files: readonly string[]) => call('inspect', files, {}),
    /** Counts the pages of what a program of ours printed, and lists the fonts in it. */
    describePrint: (path: string) => call('describePrint', [path], {}),
    /** Restores what qpdf loses when it joins pages. The sources must be the same files that were joined. */
    async restoreStructure(
      joined: string,
      sources: readonly PageSource[],
      { to, ...options }: Omit<RestorePlan, 'parts'> & { to: string },
    ) {
      const parts = sources.map(({ path: _, ...part }) => part)
      const files = [joined, ...sources.map(({ path }) => path)]
      return saveOutput(await call('restoreStructure', files, { ...options, parts }), to)
    },
    /** Splits a document that consists of nothing but pages. Returns undefined for any other document. */
    async extractPagesIfPlain(path: string, parts: readonly { pages: readonly number[]; to: string }[]) {
      const output = await call('extractPagesIfPlain', [path], { pages: parts.map(part => part.pages) })
      return output.sizes && writeParts(output, output.sizes, parts)
    },
    /** Joins documents that consist of nothing but pages. Returns undefined if one of them does not. */
    async joinPagesIfPlain(sources: readonly { path: string; pages: readonly number[] }[], { to }: { to: string }) {
      const files = sources.map(({ path }) => path)
      const output = await call('joinPagesIfPlain', files, { pages: sources.map(({ pages }) => pages) })
      return output.bytes || output.path ? saveOutput(output, to) : undefined
    },
    /** Does what `restoreStructure` does, for parts that were all extracted from one source. Updates them in place. */
    async restoreStructureEach(source: string, parts: readonly { path: string; pages: readonly number[] }[]) {
      for (let first = 0; first < parts.length; first += FILES_PER_CALL) {
        const batch = parts.slice(first, first + FILES_PER_CALL)
        const files = [source, ...batch.map(({ path }) => path)]
        const plans = batch.map(({ pages }) => ({ pages, start: 0 }))
        const output = await call('restoreStructureEach', files, { parts: plans })
        await appendUpdates(await readOutput(output), output.sizes, batch)
        if (output.path) await rm(output.path)
      }
    },
    /** Reads the outline as a tree; pages count from 1. */
    readBookmarks: (path: string) => call('readBookmarks', [path], {}),
    async writeBookmarks(
      path: string,
      { to, ...plan }: { nodes: readonly NewBookmark[]; isAppending: boolean; to: string },
    ) {
      return saveOutput(await call('writeBookmarks', [path], plan), to)
    },
    /** Removes the claim to be PDF/A. Returns undefined if the document makes no such claim. */
    async dropPdfaClaim(path: string, { to }: { to: string }) {
      const output = await call('dropPdfaClaim', [path], {})
      return output.bytes || output.path ? saveOutput(output, to) : undefined
    },
    /** Writes a document whose text Ghostscript keeps. Returns undefined if it keeps that of this one. */
    async expandUnicodeRanges(path: string, { to }: { to: string }) {
      const output = await call('expandUnicodeRanges', [path], {})
      return output.bytes || output.path ? saveOutput(output, to) : undefined
    },
    /** Makes PDF/A of a document that is otherwise fit for it. */
    async writePdfa(path: string, { to, ...plan }: PdfaPlan & { to: string }) {
      return saveOutput(await call('writePdfa', [path], plan), to)
    },
    /** Lists what PDF/A forbids, as far as the structure shows it. */
    checkPdfa: (path: string, options: { level: string }) => call('checkPdfa', [path], options),
    /** Describes a document. `original` is the file as uploaded, before it was repaired or decrypted. */
    describe: (path: string, original: string) => call('describe', [path, original], {}),
    async writeMetadata(path: string, { to, ...plan }: NewMetadata & { to: string }) {
      return saveOutput(await call('writeMetadata', [path], plan), to)
    },
    async dropMetadata(path: string, { to }: { to: string }) {
      return saveOutput(await call('dropMetadata', [path], {}), to)
    },
    /** Removes scripts, actions, files and what else the plan says, and counts it. The bytes may hold what was removed. */
    async removeActiveContent(path: string, { to, ...plan }: SanitizePlan & { to: string }) {
      const output = await call('removeActiveContent', [path], plan)
      return { path: await saveOutput(output, to), removed: output.removed }
    },
    ...bindAttachments(call),
    ...bindCompression(call),
    ...bindDrawing(context, call),
    ...bindPages(call),
    ...bindSealing(context, call),
    ...bindSignatures(context, call),
    /** Rebuilds the page tree from the objects of a damaged file. Returns no path if it finds no page. */
    async rebuildPages(path: string, { to }: { to: string }) {
      const { pages, pagesDeclared, ...output } = await call('rebuildPages', [path], {})
      return { path: pages > 0 ? await saveOutput(output, to) : undefined, pages, pagesDeclared }
    },
    async dropSignatures(path: string, { to }: { to: string }) {
      return saveOutput(await call('dropSignatures', [path], {}), to)
    },
  }
}

function bindAttachments(call: EngineCall) {
  return {
    listAttachments: (path: string) => call('listAttachments', [path], {}),
    /** Adds files, and reports whether the document had to give up its claim to be PDF/A. */
    async addAttachments(
      path: string,
      files: readonly string[],
      { to, ...plan }: { given: readonly NewAttachment[]; now: string; isSigned: boolean; to: string },
    ) {
      const output = await call('addAttachments', [path, ...files], plan)
      return { path: await saveOutput(output, to), lostClaim: output.lostClaim }
    },
    /** Adds a text as a file. */
    async attachText(path: string, { text, to, ...file }: NewAttachment & { text: string; now: string; to: string }) {
      const { now, ...attachment } = file
      const source = `${to}.txt`
      await writeFile(source, text)
      return saveOutput(await call('addAttachments', [path, source], { given: [attachment], now, isSigned: false }), to)
    },
    async removeAttachments(path: string, { to, ...plan }: { streams: readonly number[]; to: string }) {
      return saveOutput(await call('removeAttachments', [path], plan), to)
    },
  }
}

const FILES_PER_CALL = 100

async function readOutput({ bytes, path }: EngineOutput): Promise<Uint8Array> {
  return bytes ?? readFile(path!)
}

async function writeParts(
  output: EngineOutput,
  sizes: readonly number[],
  parts: readonly { to: string }[],
): Promise<string[]> {
  const bytes = await readOutput(output)
  let offset = 0
  for (const [index, { to }] of parts.entries()) {
    await writeFile(to, bytes.subarray(offset, offset + sizes[index]!), { flag: 'wx' })
    offset += sizes[index]!
  }
  if (output.path) await rm(output.path)
  return parts.map(({ to }) => to)
}

async function appendUpdates(
  updates: Uint8Array,
  sizes: readonly number[],
  files: readonly { path: string }[],
): Promise<void> {
  let offset = 0
  for (const [index, { path }] of files.entries()) {
    await appendFile(path, updates.subarray(offset, offset + sizes[index]!))
    offset += sizes[index]!
  }
}
