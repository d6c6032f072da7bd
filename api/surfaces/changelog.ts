import { readFileSync } from 'node:fs'

export interface Release {
  version: string
  /** Only of a release that is out. */
  date?: string
  /** What the release is about, where it says so. */
  summary?: string
  changes: { kind: string; text: string }[]
}

const FILE = new URL('../../CHANGELOG.md', import.meta.url)

/** The releases of CHANGELOG.md, the newest first; the file changes only with the installation. */
export const CHANGELOG: readonly Release[] = parseChangelog(readFileSync(FILE, 'utf8'))

/** Reads `## version - date`, `### kind` and list items; an item may go on over several indented lines. */
export function parseChangelog(text: string): Release[] {
  const [, ...sections] = text.replaceAll('\r\n', '\n').split(/^## /m)
  return sections.map(section => {
    const [head, ...groups] = section.split(/^### /m)
    const [title, ...paragraph] = head!.split('\n')
    const [version, date] = title!.replaceAll(/[[\]]/g, '').split(' - ')
    const summary = joinLines(paragraph.join('\n'))
    return {
      version: version!.trim(),
      ...(date && { date: date.trim() }),
      ...(summary && { summary }),
      changes: groups.flatMap(parseGroup),
    }
  })
}

function parseGroup(group: string): Release['changes'] {
  const [kind, ...items] = group.split(/^- /m)
  return items.map(text => ({ kind: kind!.trim(), text: joinLines(text) })).filter(({ text }) => text !== '')
}

function joinLines(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
