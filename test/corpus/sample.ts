/** What kind of thing a file is meant to be; a broken one too. */
export type Family = 'pdf' | 'image' | 'archive' | 'table' | 'json' | 'html' | 'text' | 'pattern' | 'other'

export const FAMILIES: readonly Family[] = [
  'pdf',
  'image',
  'archive',
  'table',
  'json',
  'html',
  'text',
  'pattern',
  'other',
]

/** One file of the corpus. Its bytes are made when they are first needed. */
export interface Sample {
  name: string
  family: Family
  bytes(): Promise<Uint8Array>
  /** What whoever sends it says it is. */
  claims?: string
}

type Making = () => Uint8Array | string | Promise<Uint8Array | string>

/** A list of samples of one family, written as name and making. */
export function samplesOf(family: Family, makings: Record<string, Making>): Sample[] {
  return Object.entries(makings).map(([name, make]) => sampleOf(family, name, make))
}

export function sampleOf(family: Family, name: string, make: Making, claims?: string): Sample {
  let made: Promise<Uint8Array> | undefined
  const bytes = () => {
    made ??= Promise.resolve(make()).then(content => (typeof content === 'string' ? Buffer.from(content) : content))
    return made
  }
  return { name: `${family}/${name}`, family, bytes, claims }
}
