import { type Entry, FILE_RULE, type FileRule } from '#kit'

const KINDS: Readonly<Record<string, string>> = {
  ...{ mp4: 'video/', mov: 'video/', mkv: 'video/', webm: 'video/', avi: 'video/', m4v: 'video/' },
  ...{ mp3: 'audio/', wav: 'audio/', ogg: 'audio/', flac: 'audio/', m4a: 'audio/', opus: 'audio/', aac: 'audio/' },
  ...{ jpg: 'image/', jpeg: 'image/', png: 'image/', webp: 'image/', avif: 'image/', heic: 'image/', tif: 'image/' },
  ...{ tiff: 'image/', svg: 'image/', bmp: 'image/', pdf: 'application/pdf' },
}

/** The kinds of the files that a query names, such as `video/` for `clip.mp4`; none where one of them has no known kind. */
export function listNamedKinds(query: string): string[] {
  const endings = [...query.matchAll(/[\p{L}\p{N}_-]\.([a-z][a-z0-9]{2,3})\b/giu)].map(([, ending]) => ending!)
  const kinds = endings.map(ending => KINDS[ending.toLowerCase()])
  return kinds.every(kind => kind !== undefined) ? kinds : []
}

/** A PDF that is spoken of is one that is there, or is to be made: what knows of none is seldom meant. */
const SPOKEN_PDF = /\b(?:an?|the|this|my|our|each|every|two|three|several|many) pdfs?\b/i

export function namesPdf(query: string): boolean {
  return SPOKEN_PDF.test(query)
}

/** Every type that the files of a call may have; undefined for a call without files. */
export function listAccepted({ body }: Pick<Entry, 'body'>): ReadonlySet<string> | undefined {
  const accepted = new Set<string>()
  collect(body, accepted)
  return accepted.size > 0 ? accepted : undefined
}

function collect(value: unknown, accepted: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const type of (value as { [FILE_RULE]?: FileRule })[FILE_RULE]?.accept ?? []) accepted.add(type)
  for (const child of Object.values(value)) collect(child, accepted)
}

/** Whether a call takes none of the files that are named. */
export function takesNone(accepted: ReadonlySet<string> | undefined, kinds: readonly string[]): boolean {
  if (!accepted || kinds.length === 0 || accepted.has('*/*')) return false
  return kinds.every(kind => ![...accepted].some(type => type.startsWith(kind)))
}
