import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, type PdfObject, type PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { SanitizeCounts, SanitizePlan } from '../../../../tasks/formats/pdf/document.ts'
import { walkDicts } from '../objects.ts'
import { classifyAction, cleanActions } from './actions.ts'
import { type Kind, Removal } from './removal.ts'

/**
 * Removes what a document can do or carries along, wherever an object holds it: objects that only a part of the readers
 * finds are not passed over. The caller writes the file anew, so that no earlier revision is left.
 */
export async function removeActiveContent(
  [file]: string[],
  plan: SanitizePlan,
): Promise<{ bytes: Uint8Array; removed: SanitizeCounts }> {
  const pdf = await PDF.load(await readFile(file!))
  const kept = new Set<PdfObject>([pdf.getCatalog(), ...pdf.getPages().map(({ dict }) => dict)])
  const removal = new Removal(plan, (ref: PdfRef) => pdf.getObject(ref), kept)
  const { trailer } = pdf.context.info
  cleanCatalog(pdf.getCatalog(), removal)
  if (plan.metadata) removal.counts.metadata += removal.deleteEntries(trailer, ['Info'])
  for (const dict of walkDicts(trailer, removal.resolve)) cleanDict(dict, removal)
  // The library does not see changes of the trailer, and saves the old bytes if nothing else changed.
  pdf.getCatalog().set('Type', PdfName.of('Catalog'))
  return { bytes: await pdf.save({ compressStreams: false }), removed: removal.counts }
}

/** The trees of names hold scripts and files that no page refers to. */
function cleanCatalog(catalog: PdfDict, removal: Removal): void {
  const { plan, resolve } = removal
  const names = catalog.getDict('Names', resolve)
  if (plan.javascript) {
    dropTree(names, 'JavaScript', removal, dict => {
      if (classifyAction(dict, removal) === 'javascript' || dict.has('JS')) removal.empty(dict, 'javascript')
    })
    removal.deleteEntries(catalog, ['Requirements'])
    catalog.getDict('AcroForm', resolve)?.delete('CO')
  }
  if (plan.files) {
    dropTree(names, 'EmbeddedFiles', removal, dict => dropFiles(dict, 'files', removal))
    catalog.delete('Collection')
  }
  if (plan.media && names)
    removal.counts.media += removal.deleteEntries(names, ['Renditions', 'AlternatePresentations'])
  if (plan.links) removal.deleteEntries(catalog, ['URI'])
  if (plan.xfa) catalog.delete('NeedsRendering')
  if (names && [...names].length === 0) catalog.delete('Names')
}

function dropTree(names: PdfDict | undefined, name: string, { resolve }: Removal, drop: (dict: PdfDict) => void): void {
  const tree = names?.get(name)
  if (!tree) return
  for (const dict of walkDicts(tree, resolve)) drop(dict)
  names!.delete(name)
}

const PRODUCER_KEYS = ['Metadata', 'PieceInfo', 'Thumb']

function cleanDict(dict: PdfDict, removal: Removal): void {
  const { plan, counts, resolve } = removal
  cleanActions(dict, removal)
  if (dict.getName('Type', resolve)?.value === 'Action') dropAction(dict, removal)
  if (plan.javascript) counts.javascript += dropScripts(dict, removal)
  if (plan.actions && dict instanceof PdfStream) counts.actions += dropOutsideData(dict, removal)
  if (plan.files) dropFiles(dict, 'files', removal)
  if (plan.xfa) dropXfa(dict, removal)
  if (plan.metadata) {
    counts.metadata += removal.deleteEntries(dict, PRODUCER_KEYS)
    dict.delete('LastModified')
  }
  cleanAnnotations(dict, removal)
}

/** One that no dictionary refers to as an action does nothing, but it would look as if it was left. */
function dropAction(action: PdfDict, removal: Removal): void {
  const kind = classifyAction(action, removal)
  if (kind && removal.plan[kind]) removal.empty(action, kind)
}

/** A font of a page may bear the name of an entry that holds a script. */
function dropScripts(dict: PdfDict, removal: Removal): number {
  const names = ['JS', 'OnInstantiate'].filter(name => {
    const value = dict.get(name, removal.resolve)
    return value instanceof PdfString || (value instanceof PdfStream && !value.has('Subtype'))
  })
  return removal.deleteEntries(dict, names)
}

/** The data of a stream can be in a file outside, which a viewer would fetch. */
function dropOutsideData(stream: PdfStream, removal: Removal): number {
  const found = removal.deleteEntries(stream, ['F', 'Ref'])
  removal.deleteEntries(stream, ['FFilter', 'FDecodeParms'])
  return found
}

const FILE_KEYS = ['F', 'UF', 'Unix', 'DOS', 'Mac']

function dropFiles(dict: PdfDict, kind: Kind, removal: Removal): void {
  const { resolve } = removal
  const files = dict.getDict('EF', resolve)
  const streams = FILE_KEYS.flatMap(name => files?.get(name) ?? [])
  for (const stream of streams) if (removal.follow(stream) instanceof PdfStream) removal.empty(stream, kind)
  if (streams.length > 0) removal.deleteEntries(dict, ['EF', 'RF'])
  if (dict instanceof PdfStream && dict.getName('Type', resolve)?.value === 'EmbeddedFile') removal.empty(dict, kind)
  if (removal.listItems(dict, 'AF').some(item => isFileSpec(removal.follow(item)))) dict.delete('AF')
}

function isFileSpec(item: PdfObject | undefined): boolean {
  return item instanceof PdfDict && !(item instanceof PdfStream) && ['EF', ...FILE_KEYS].some(name => item.has(name))
}

function dropXfa(dict: PdfDict, removal: Removal): void {
  const form = dict.get('XFA', removal.resolve)
  if (!form) return
  for (const part of form instanceof PdfArray ? form.toArray() : [form])
    if (removal.follow(part) instanceof PdfStream) removal.erase(part)
  removal.counts.xfa += removal.deleteEntries(dict, ['XFA'])
}

const KINDS_OF_ANNOTATIONS: Record<string, Kind | undefined> = {
  ...{ FileAttachment: 'files', Movie: 'media', RichMedia: 'media', Screen: 'media', Sound: 'media' },
  '3D': 'media',
}

function cleanAnnotations(page: PdfDict, removal: Removal): void {
  const items = removal.listItems(page, 'Annots')
  for (const item of items) dropAnnotation(removal.follow(item), removal)
  const kept = items.filter(item => !isDropped(removal.follow(item), removal))
  if (kept.length < items.length) page.set('Annots', PdfArray.of(...kept))
}

function dropAnnotation(annotation: PdfObject | undefined, removal: Removal): void {
  if (!(annotation instanceof PdfDict)) return
  const kind = KINDS_OF_ANNOTATIONS[annotation.getName('Subtype', removal.resolve)?.value ?? '']
  if (!kind || !removal.plan[kind]) return
  for (const key of ['FS', 'RichMediaContent']) {
    const content = annotation.get(key)
    if (content) for (const dict of walkDicts(content, removal.resolve)) dropFiles(dict, kind, removal)
  }
  const popup = annotation.getDict('Popup', removal.resolve)
  if (popup?.getName('Subtype', removal.resolve)?.value === 'Popup') removal.erase(popup)
  removal.empty(annotation, kind)
}

/** The note that pops up beside a removed annotation goes with it. */
function isDropped(annotation: PdfObject | undefined, removal: Removal): boolean {
  if (!(annotation instanceof PdfDict)) return false
  return removal.isEmptied(annotation) || [...annotation].length === 0
}
