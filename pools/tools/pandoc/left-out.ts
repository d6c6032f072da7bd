import { open } from 'node:fs/promises'
import type { Warning } from '#kit'
import type { OpenArchive } from '../unzip/entry.ts'
import { openZip } from '../zip/reader.ts'
import { readPart } from './archive-parts.ts'

const PARTS = /^word\/(?:document\d*|footnotes|endnotes)\.xml$|^ppt\/slides\/slide\d+\.xml$/
const CHART = /^(?:word|ppt)\/charts\/chart[^/]*\.xml$/
const EDGES = /^word\/(?:header|footer)\d*\.xml$/
/** A page number is a field, whose text is not its own. */
const EDGE_TEXT = /<w:t(?: [^>]*)?>[^<]*[^<\s\d][^<]*</
const COMMENTS = /^word\/comments\.xml$/
const COMMENT = /<w:comment /
const TEXT_BOX = /<w:txbxContent/
const NEW_TEXT_BOX = /<wps:txbx[ >]/
const ALTERNATIVES = /<mc:AlternateContent[ >][\s\S]*?<\/mc:AlternateContent>/g
/** The older form of text boxes, which the reader reads if they are rectangles or shapes of their own. */
const OLD_TEXT_BOX = /<v:textbox[ >]/
const OLD_UNREAD = /<v:(?:group|oval|roundrect)[ >](?:(?!<\/w:pict>)[\s\S])*?<v:textbox[ >]/
const NEWER_FORM = /^[\s\S]*?<mc:Fallback/
const MAX_BYTES = 64 * 2 ** 20

/** What the readers of Word and PowerPoint files pass over without a word. */
export async function findLeftOut(path: string, showsComments: boolean): Promise<Warning[]> {
  const file = await open(path)
  try {
    const archive = await openZip(file, (await file.stat()).size)
    const charts = archive.entries.filter(({ name }) => CHART.test(name)).length
    return [
      ...(charts > 0 ? [warn(`${charts} charts are left out; /v1/pdf/from-office draws them.`)] : []),
      ...((await hasPart(archive, EDGES, EDGE_TEXT))
        ? [warn('The headers and footers of the pages are left out; /v1/pdf/from-office prints them.')]
        : []),
      ...(showsComments || !(await hasPart(archive, COMMENTS, COMMENT))
        ? []
        : [warn('The comments are left out; /v1/doc/convert with options.trackedChanges=all keeps them.')]),
      ...((await hasUnreadTextBox(archive))
        ? [warn('The text of text boxes is left out; /v1/pdf/from-office and /v1/pdf/to-markdown keep it.')]
        : []),
    ]
  } catch {
    // The reader itself tells what is wrong with a broken file.
    return []
  } finally {
    await file.close()
  }
}

function warn(message: string): Warning {
  return { code: 'CONTENT_SKIPPED', message }
}

/** Of a text box that is written in both forms the older one is read. */
async function hasUnreadTextBox(archive: OpenArchive): Promise<boolean> {
  if (!(await hasPart(archive, PARTS, TEXT_BOX))) return false
  for (const { name } of archive.entries.filter(entry => PARTS.test(entry.name))) {
    const xml = await readPart(archive, name)
    const read = xml.replaceAll(ALTERNATIVES, both => (OLD_TEXT_BOX.test(both) ? both.replace(NEWER_FORM, '') : both))
    if (NEW_TEXT_BOX.test(read) || OLD_UNREAD.test(read)) return true
  }
  return false
}

const MAX_PIECE = 1000

/** Whether one of the parts has this piece of text. */
async function hasPart(archive: OpenArchive, names: RegExp, piece: RegExp): Promise<boolean> {
  let sizeBytes = 0
  for (const [index, { name }] of archive.entries.entries()) {
    if (!names.test(name)) continue
    let end = ''
    for await (const chunk of archive.read(index, undefined)) {
      const text = end + Buffer.from(chunk as Uint8Array).toString('latin1')
      if (piece.test(text)) return true
      sizeBytes += text.length
      if (sizeBytes > MAX_BYTES) return false
      end = text.slice(-MAX_PIECE)
    }
  }
  return false
}
