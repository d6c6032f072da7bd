import { posix } from 'node:path'
import type { OpenArchive } from '../unzip/entry.ts'
import { readPart, replaceParts, withPackage } from './archive-parts.ts'
import { type Levels, markListItems, readLayoutLevels, readMasterLevels } from './slide-lists.ts'
import { appendNotes } from './slide-notes.ts'
import { joinRuns } from './slide-runs.ts'
import type { Part } from './zip-together.ts'

const SLIDE = /^ppt\/slides\/slide\d+\.xml$/
/**
 * Writes slides as their reader needs them: it passes over the notes of the speaker, puts a space between the runs of a word that has several formats, which
 * it does not read, and takes only lists for lists that do not inherit their bullets. Returns nothing if they are so already.
 */
export async function completePptx(path: string): Promise<Uint8Array | undefined> {
  return withPackage(path, async archive => {
    const changed: Part[] = []
    for (const { name } of archive.entries.filter(entry => SLIDE.test(entry.name))) {
      const xml = await readPart(archive, name)
      const notes = await findRelated(archive, name, 'notesSlide')
      const noted = notes ? appendNotes(xml, await readPart(archive, notes)) : xml
      const joined = joinRuns(noted, await readPart(archive, nameRelations(name)))
      const written = markListItems(joined, await readInherited(archive, name))
      if (written !== xml) changed.push({ name, bytes: Buffer.from(written, 'latin1') })
    }
    return changed.length === 0 ? undefined : replaceParts(archive, changed)
  })
}

/** The bullets that the placeholders of a slide have from its layout, and all from its master. */
async function readInherited(archive: OpenArchive, slide: string): Promise<(index: string) => Levels[]> {
  const layout = await findRelated(archive, slide, 'slideLayout')
  const master = layout && (await findRelated(archive, layout, 'slideMaster'))
  const byPlaceholder = readLayoutLevels(layout ? await readPart(archive, layout) : '')
  const common = readMasterLevels(master ? await readPart(archive, master) : '')
  return index => [...(byPlaceholder.get(index) ?? []), common]
}

async function findRelated(archive: OpenArchive, part: string, kind: string): Promise<string | undefined> {
  const relations = await readPart(archive, nameRelations(part))
  const [relation] = new RegExp(`<Relationship [^>]*/relationships/${kind}"[^>]*>`).exec(relations) ?? []
  const target = relation && /Target="([^"]+)"/.exec(relation)?.[1]
  return target && posix.join('/', posix.dirname(part), target).slice(1)
}

function nameRelations(part: string): string {
  return posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)
}
